/**
 * The peers of a simulated network: observers beside the validators, who is connected to whom, peers that lie, and
 * a payer. Says when everything that peers owe each other is done, and fails the world where it is late.
 */
import type { Connection, SocketAddress } from 'svc-network/peering';
import { Random } from '../base/random.ts';
import type { NodePlan, PeerPlan } from '../plan/node-plan.ts';
import type { FullNode, FullWorld } from './full-node.ts';
import type { NodePeers } from './node-peers.ts';
import { type Accepted, Arrivals, Payer } from './payments.ts';
import { Liars, Pests } from './strangers.ts';
import { connect, type Wires } from './virtual-host.ts';

interface Numbered {
  readonly index: number;
}

/** The first of the two dials the second. */
type NodeLink<Node> = readonly [Node, Node];

/** Validators come first among the nodes, then observers. */
export function linksOf<Node extends Numbered>(
  nodes: readonly Node[],
  { validators, gone }: Pick<NodePlan, 'validators' | 'gone'>,
  { isStar }: Pick<PeerPlan, 'isStar'>,
): NodeLink<Node>[] {
  const centre = nodes[validators];
  if (isStar && centre !== undefined)
    return nodes.filter((node) => node !== centre).map((node) => [node, centre] as const);
  const links = ringOf(nodes);
  if (gone.size === 0) return links;
  const known = new Set(links.map(nameOf));
  const others = ringOf(nodes.filter(({ index }) => !gone.has(index)));
  return [...links, ...others.filter((link) => !known.has(nameOf(link)))];
}

function ringOf<Node>(nodes: readonly Node[]): NodeLink<Node>[] {
  return nodes.map((node, at) => [node, nodes[(at + 1) % nodes.length] as Node] as const);
}

function nameOf([from, to]: NodeLink<Numbered>): string {
  return `${from.index} ${to.index}`;
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

/**
 * The peers of a simulated network: observers beside the validators, who is connected to whom, peers that lie, and
 * a payer. Says when everything that peers owe each other is done, and fails the world where it is late.
 */
export class PeerNet {
  readonly payer: Payer;
  readonly arrivals: Arrivals;
  readonly #pests: Pests;
  readonly #world: FullWorld;
  readonly #peers: PeerPlan;
  readonly #random: Random;
  readonly #links: readonly NodeLink<FullNode>[];
  readonly #wires: Wires;
  /** When something was kept from passing between two nodes last. */
  readonly #blockedAtMs = new Map<string, number>();
  #banned: string | undefined;

  constructor(world: FullWorld, peers: PeerPlan) {
    this.#world = world;
    this.#peers = peers;
    this.#random = new Random(world.plan.seed, 12);
    this.#links = linksOf(world.nodes, world.plan, peers);
    this.arrivals = new Arrivals(world, peers.observers > 0 && peers.lagMs > 0);
    this.payer = new Payer(world, {
      onMade: (id) => this.#pests.announce({ transactions: [id], blocks: [] }),
      onAccepted: (payment) => this.#onAccepted(payment),
    });
    this.#wires = {
      get now() {
        return world.now;
      },
      callLater: (delayMs, call) => world.callLater(delayMs, call),
      delayMs: (from, to) => this.#delayMs(from, to),
    };
    this.#pests = new Pests(this.#wires, new Random(world.plan.seed, PEST_STREAM));
  }

  start(): void {
    const { nodes } = this.#world;
    const liars = new Liars(this.#wires, this.#random);
    const { liars: count, liarsFromMs, areLiarsFlitting } = this.#peers;
    const manner = areLiarsFlitting ? 'flitting' : undefined;
    for (const node of nodes)
      for (let liar = 0; liar < count; liar++)
        this.#world.callLater(liarsFromMs + this.#random.between(0, RECONNECT_MS), () =>
          liars.besiege(node, manner),
        );
    for (const node of nodes) this.#pester(node);
    this.payer.start();
    this.#lookLater();
  }

  #pester(node: FullNode): void {
    const { flooders, announcers, askers } = this.#peers.pests;
    const { liarsFromMs } = this.#peers;
    const later = (call: () => void): void => void this.#world.callLater(liarsFromMs, call);
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
    const isAnyWaiting = this.#world.nodes.some(({ isWaiting }) => isWaiting);
    return this.payer.isDone && this.arrivals.isSettled && !isAnyWaiting;
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
    const { nodes, plan } = this.#world;
    const { miner } = this.#peers;
    const order = [...nodes.slice(miner, plan.validators), ...nodes.slice(0, miner)];
    return order.find(({ isGone }) => !isGone);
  }

  #lookLater(): void {
    const { nodes } = this.#world;
    this.#world.callLater(LOOK_MS, () => {
      this.payer.look();
      this.arrivals.look();
      const isOver = this.#world.now > this.#allUpSinceMs + WAIT_MS_MAX;
      const late = isOver ? nodes.find(({ isWaiting }) => isWaiting) : undefined;
      if (late !== undefined)
        this.#world.fail('signsAgain', `node ${late.index} waits for a current chain`);
      if (this.#banned !== undefined) this.#world.fail('bans', this.#banned);
      this.#lookLater();
    });
  }

  /** Since when everything is healed and no node is away that could show how far the chain is. */
  get #allUpSinceMs(): number {
    const { nodes } = this.#world;
    const staying = nodes.filter(({ isGone }) => !isGone);
    if (staying.some(({ isUp }) => !isUp)) return Number.POSITIVE_INFINITY;
    const starts = staying.map(({ upSinceMs }) => upSinceMs);
    return Math.max(this.#world.healedAtMs ?? Number.POSITIVE_INFINITY, ...starts);
  }

  #connectLater(link: NodeLink<FullNode>, delayMs: number): void {
    this.#world.callLater(delayMs, () => this.#connect(link));
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
    const sinceMs = this.#world.now;
    near.addEventListener('close', () => {
      const isOwnChoice = from.isUp && from.peers === peers && far.status === 'open';
      const blockedAtMs =
        this.#blockedAtMs.get(nameOfPair(from.index, to.index)) ?? Number.NEGATIVE_INFINITY;
      if (isOwnChoice && blockedAtMs < sinceMs)
        this.#world.fail('peersKept', `node ${from.index} has dropped node ${to.index}`);
    });
  }

  #delayMs(from: string, to: string): number | undefined {
    const { plan } = this.#world;
    const { delayMsMin, delayMeanMs, lossRate, validators } = plan;
    const random = this.#random;
    if (this.#world.healedAtMs !== undefined)
      return delayMsMin + random.exponential(Math.min(delayMeanMs, HEALED_DELAY_MS_MAX));
    const [a, b] = [indexOf(from), indexOf(to)];
    const areValidators = a < validators && b < validators;
    if (areValidators && !this.#world.isOpen(a, b)) {
      this.#blockedAtMs.set(nameOfPair(a, b), this.#world.now);
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

/** A liar has an index that no node has. */
function indexOf(id: string): number {
  return id.startsWith('node ') ? Number(id.slice('node '.length)) : Number.POSITIVE_INFINITY;
}
