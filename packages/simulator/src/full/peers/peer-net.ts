/**
 * The peers of a simulated network: observers beside the validators, who is connected to whom, peers that lie, and
 * somebody who pays. Says when everything that peers owe each other is done, and fails the world where it is late.
 */
import type { Connection, SocketAddress } from 'svc-network/peering';
import { Random } from '../../base/random.ts';
import type { FullNode } from '../full-node.ts';
import type { FullSetting } from '../full-setting.ts';
import type { NodePlan } from '../node-plan.ts';
import { Arrivals } from './arrivals.ts';
import { Liars } from './liars.ts';
import { linksOf, type NodeLink } from './links.ts';
import type { NodePeers } from './node-peers.ts';
import { type Accepted, Payer } from './payer.ts';
import type { PeerPlan } from './peer-plan.ts';
import { Pests } from './pests.ts';
import { connect, type Wires } from './virtual-host.ts';

export interface PeerNetPorts {
  readonly plan: NodePlan;
  readonly setting: FullSetting;
  /** Validators, then observers. */
  readonly nodes: readonly FullNode[];
  readonly now: () => number;
  readonly healedAtMs: () => number | undefined;
  /** Whether bytes pass between two nodes at the moment. */
  readonly isOpen: (from: number, to: number) => boolean;
  readonly callLater: (delayMs: number, call: () => void) => () => void;
  readonly await: (promise: Promise<unknown>) => void;
  readonly fail: (checker: string, detail: string) => void;
}

const PEST_STREAM = 31;
const CONNECT_MS_MAX = 800;
const RECONNECT_MS = 1_000;
const HEALED_DELAY_MS_MAX = 60;
const RESENT_MS = 300;
const LOOK_MS = 1_000;
/** A validator that is up and reachable for so long signs, whatever peers claim. */
const WAIT_MS_MAX = 40_000;

/** One end of a connection of two honest nodes, and the process that it belongs to. */
interface OwnEnd {
  readonly from: FullNode;
  readonly to: FullNode;
  readonly peers: NodePeers;
  readonly near: Connection;
  readonly far: Connection;
}

export class PeerNet {
  readonly payer: Payer;
  readonly arrivals: Arrivals;
  readonly #pests: Pests;
  readonly #ports: PeerNetPorts;
  readonly #peers: PeerPlan;
  readonly #random: Random;
  readonly #links: readonly NodeLink<FullNode>[];
  readonly #wires: Wires;
  /** When something was kept from passing between two nodes last. */
  readonly #blockedAtMs = new Map<string, number>();
  #banned: string | undefined;

  constructor(ports: PeerNetPorts, peers: PeerPlan) {
    this.#ports = ports;
    this.#peers = peers;
    this.#random = new Random(ports.plan.seed, 12);
    this.#links = linksOf(ports.nodes, ports.plan, peers);
    this.arrivals = new Arrivals({
      ...ports,
      isAnyDiskSlow: peers.observers > 0 && peers.lagMs > 0,
    });
    this.payer = new Payer({
      ...ports,
      callLater: (ms, call) => void ports.callLater(ms, call),
      onMade: (id) => this.#pests.announce({ transactions: [id], blocks: [] }),
      onAccepted: (payment) => this.#onAccepted(payment),
    });
    const { now, callLater } = ports;
    this.#wires = {
      get now() {
        return now();
      },
      callLater,
      delayMs: (from, to) => this.#delayMs(from, to),
    };
    this.#pests = new Pests({
      wires: this.#wires,
      random: new Random(ports.plan.seed, PEST_STREAM),
    });
  }

  start(): void {
    const { nodes, callLater } = this.#ports;
    const liars = new Liars({ wires: this.#wires, random: this.#random });
    const { liars: count, liarsFromMs, areLiarsFlitting } = this.#peers;
    const manner = areLiarsFlitting ? 'flitting' : undefined;
    for (const node of nodes)
      for (let liar = 0; liar < count; liar++)
        callLater(liarsFromMs + this.#random.between(0, RECONNECT_MS), () =>
          liars.besiege(node, manner),
        );
    for (const node of nodes) this.#pester(node);
    this.payer.start();
    this.#lookLater();
  }

  #pester(node: FullNode): void {
    const { flooders, announcers, askers } = this.#peers.pests;
    const { liarsFromMs } = this.#peers;
    const later = (call: () => void): void => void this.#ports.callLater(liarsFromMs, call);
    for (let pest = 0; pest < flooders; pest++) later(() => this.#pests.flood(node));
    for (let pest = 0; pest < announcers; pest++)
      later(() => this.#pests.announceFirst(node, pest));
    for (let pest = 0; pest < askers; pest++) later(() => this.#pests.reopen(node));
  }

  #onAccepted({ id, spends }: Accepted): void {
    this.arrivals.offer(
      `payment ${this.payer.paid + 1}`,
      ({ mempool, chain }) =>
        mempool?.get(id) !== undefined || chain.view.get('spent', spends)?.transactionId === id,
    );
  }

  /** A miner has found a block on the node that it works for. */
  onMined(blockId: string): void {
    this.#pests.announce({ transactions: [], blocks: [blockId] });
    this.arrivals.offer(`block ${blockId}`, ({ peers }) => peers?.hasBlock(blockId) === true);
  }

  /** Whether every validator may sign and everything that was paid is executed. */
  get isSettled(): boolean {
    const isAnybodyWaiting = this.#ports.nodes.some(({ isWaiting }) => isWaiting);
    return this.payer.isDone && this.arrivals.isSettled && !isAnybodyWaiting;
  }

  onStarted(node: FullNode): void {
    for (const link of this.#links)
      if (link.includes(node)) this.#connectLater(link, this.#random.between(0, CONNECT_MS_MAX));
  }

  onFinalized(node: FullNode): void {
    this.payer.onFinalized(node);
  }

  /** The node whose templates are mined: the one of the plan, or the next one that is still there. */
  get minedNode(): FullNode | undefined {
    const { nodes, plan } = this.#ports;
    const { miner } = this.#peers;
    const order = [...nodes.slice(miner, plan.validators), ...nodes.slice(0, miner)];
    return order.find(({ isGone }) => !isGone);
  }

  #lookLater(): void {
    const { callLater, fail, now, nodes } = this.#ports;
    callLater(LOOK_MS, () => {
      this.payer.look();
      this.arrivals.look();
      const isOver = now() > this.#allUpSinceMs + WAIT_MS_MAX;
      const late = isOver ? nodes.find(({ isWaiting }) => isWaiting) : undefined;
      if (late !== undefined) fail('signsAgain', `node ${late.index} waits for a current chain`);
      if (this.#banned !== undefined) fail('bans', this.#banned);
      this.#lookLater();
    });
  }

  /** Since when everything is healed and nobody is away who could show how far the chain is. */
  get #allUpSinceMs(): number {
    const { healedAtMs, nodes } = this.#ports;
    const staying = nodes.filter(({ isGone }) => !isGone);
    if (staying.some(({ isUp }) => !isUp)) return Number.POSITIVE_INFINITY;
    const starts = staying.map(({ upSinceMs }) => upSinceMs);
    return Math.max(healedAtMs() ?? Number.POSITIVE_INFINITY, ...starts);
  }

  #connectLater(link: NodeLink<FullNode>, delayMs: number): void {
    this.#ports.callLater(delayMs, () => this.#connect(link));
  }

  #connect(link: NodeLink<FullNode>): void {
    const [from, to] = link;
    const [a, b] = [from.peers, to.peers];
    if (!from.isUp || !to.isUp || a === undefined || b === undefined) return;
    if (a.host.isConnectedTo(b.host.id) || b.host.isConnectedTo(a.host.id)) {
      this.#connectLater(link, RECONNECT_MS);
      return;
    }
    if (a.bans.isPeerBanned(b.host.id) || b.bans.isPeerBanned(a.host.id))
      this.#banned = `${a.host.id} and ${b.host.id} are honest, and one has banned the other`;
    const [outbound, inbound] = connect(a.host, b.host, this.#wires);
    outbound.addEventListener('close', () => this.#connectLater(link, RECONNECT_MS));
    this.#keepTogether({ from, to, peers: a, near: outbound, far: inbound });
    this.#keepTogether({ from: to, to: from, peers: b, near: inbound, far: outbound });
    const [helloA, helloB] = [a.hello, b.hello];
    b.join(inbound, helloA, addressOf(from));
    a.join(outbound, helloB, addressOf(to));
  }

  /** An honest peer ends no connection with another to which bytes have passed all the time. */
  #keepTogether({ from, to, peers, near, far }: OwnEnd): void {
    const sinceMs = this.#ports.now();
    near.addEventListener('close', () => {
      const isOwnChoice = from.isUp && from.peers === peers && far.status === 'open';
      const blockedAtMs =
        this.#blockedAtMs.get(nameOfPair(from.index, to.index)) ?? Number.NEGATIVE_INFINITY;
      if (isOwnChoice && blockedAtMs < sinceMs)
        this.#ports.fail('peersKept', `node ${from.index} has dropped node ${to.index}`);
    });
  }

  #delayMs(from: string, to: string): number | undefined {
    const { plan, healedAtMs, isOpen } = this.#ports;
    const { delayMsMin, delayMeanMs, lossRate, validators } = plan;
    const random = this.#random;
    if (healedAtMs() !== undefined)
      return delayMsMin + random.exponential(Math.min(delayMeanMs, HEALED_DELAY_MS_MAX));
    const [a, b] = [indexOf(from), indexOf(to)];
    const areValidators = a < validators && b < validators;
    if (areValidators && !isOpen(a, b)) {
      this.#blockedAtMs.set(nameOfPair(a, b), this.#ports.now());
      return undefined;
    }
    const resentMs = random.chance(lossRate) ? RESENT_MS : 0;
    return delayMsMin + resentMs + random.exponential(delayMeanMs);
  }
}

/** Every honest node has a range of its own. */
function addressOf({ index }: FullNode): SocketAddress {
  return { host: `20.0.${index}.1`, port: 1 };
}

function nameOfPair(a: number, b: number): string {
  return `${Math.min(a, b)} ${Math.max(a, b)}`;
}

/** A liar has the index of nobody. */
function indexOf(id: string): number {
  return id.startsWith('node ') ? Number(id.slice('node '.length)) : Number.POSITIVE_INFINITY;
}
