/**
 * The peers of a simulated network: observers beside the validators, who is connected to whom, peers that lie, and
 * somebody who pays. Says when everything that peers owe each other is done, and fails the world where it is late.
 */
import { Random } from '../../base/random.ts';
import type { FullNode } from '../full-node.ts';
import type { FullSetting } from '../full-setting.ts';
import type { NodePlan } from '../node-plan.ts';
import { Liars } from './liars.ts';
import { linksOf, type NodeLink } from './links.ts';
import { Payer } from './payer.ts';
import type { PeerPlan } from './peer-plan.ts';
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

const CONNECT_MS_MAX = 800;
const RECONNECT_MS = 1_000;
const HEALED_DELAY_MS_MAX = 60;
const RESENT_MS = 300;
const LOOK_MS = 1_000;
/** A validator that is up and reachable for so long signs, whatever peers claim. */
const WAIT_MS_MAX = 40_000;

export class PeerNet {
  readonly payer: Payer;
  readonly #ports: PeerNetPorts;
  readonly #peers: PeerPlan;
  readonly #random: Random;
  readonly #links: readonly NodeLink<FullNode>[];
  readonly #wires: Wires;
  #banned: string | undefined;

  constructor(ports: PeerNetPorts, peers: PeerPlan) {
    this.#ports = ports;
    this.#peers = peers;
    this.#random = new Random(ports.plan.seed, 12);
    this.#links = linksOf(ports.nodes, ports.plan, peers);
    this.payer = new Payer({ ...ports, callLater: (ms, call) => void ports.callLater(ms, call) });
    const { now, callLater } = ports;
    this.#wires = {
      get now() {
        return now();
      },
      callLater,
      delayMs: (from, to) => this.#delayMs(from, to),
    };
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
    this.payer.start();
    this.#lookLater();
  }

  /** Whether every validator may sign and everything that was paid is executed. */
  get isSettled(): boolean {
    return this.payer.isDone && !this.#ports.nodes.some(({ isWaiting }) => isWaiting);
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
    const [helloA, helloB] = [a.hello, b.hello];
    b.join(inbound, helloA);
    a.join(outbound, helloB);
  }

  #delayMs(from: string, to: string): number | undefined {
    const { plan, healedAtMs, isOpen } = this.#ports;
    const { delayMsMin, delayMeanMs, lossRate, validators } = plan;
    const random = this.#random;
    if (healedAtMs() !== undefined)
      return delayMsMin + random.exponential(Math.min(delayMeanMs, HEALED_DELAY_MS_MAX));
    const [a, b] = [indexOf(from), indexOf(to)];
    const areValidators = a < validators && b < validators;
    if (areValidators && !isOpen(a, b)) return undefined;
    const resentMs = random.chance(lossRate) ? RESENT_MS : 0;
    return delayMsMin + resentMs + random.exponential(delayMeanMs);
  }
}

/** A liar has the index of nobody. */
function indexOf(id: string): number {
  return id.startsWith('node ') ? Number(id.slice('node '.length)) : Number.POSITIVE_INFINITY;
}
