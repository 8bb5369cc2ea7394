/**
 * The simulated world: virtual time, the nodes, and everything that happens to them by chance.
 * All chance comes from the seed.
 */
import {
  type CommitCertificate,
  type CutId,
  ROWS,
  type SignedMessage,
  type WireMessage,
} from 'svc-consensus/machine';
import { toHex } from 'svc-wasm/base';
import { ACTORS } from '../actors/actors.ts';
import { Digest } from '../base/digest.ts';
import { EventQueue } from '../base/event-queue.ts';
import { type Failure, SIMULATED_CRASH } from '../base/failure.ts';
import { Random } from '../base/random.ts';
import { type Checker, type Watch, watchOf } from '../checkers/checker.ts';
import type { Application } from '../node/application.ts';
import { FINALITY_LEVEL, type Level } from '../node/level.ts';
import { type Behaviour, Node } from '../node/node.ts';
import type { Plan } from '../plan/plan.ts';
import { Chain } from './chain.ts';
import { committeeTrouble } from './committee-trouble.ts';
import { PlannedCommittees } from './committees.ts';
import { type Cut, epochOf } from './cut.ts';
import { callOf, deliveryOf, type Happening, type WorldEvent } from './events.ts';
import { Keyring } from './keyring.ts';
import {
  hasLink,
  hasTwin,
  isAway,
  isOriginalUnseen,
  planMishaps,
  prepareMishaps,
  syncLater,
} from './mishaps.ts';
import { Network } from './network.ts';
import { KeyringChecks, PacketCodec, packetBytes } from './packet.ts';
import type { Protocol } from './protocol.ts';
import type { Seen, Surroundings } from './surroundings.ts';

const MISCHIEF_MS = 400;
const EVENTS_MAX = 3_000_000;
const LIVENESS_MS_MAX = 240_000;
const SETTLING_HEIGHTS = 10;

export class World implements Surroundings<Node, Application> {
  readonly plan: Plan;
  readonly protocol: Protocol;
  readonly level: Level;
  readonly random: Random;
  readonly keyring: Keyring;
  readonly codec: PacketCodec;
  readonly checks: KeyringChecks;
  /** Every cut that was made. */
  readonly cuts = new Map<CutId, Cut>();
  readonly chain: Chain;
  readonly network: Network;
  readonly nodes: Node[] = [];
  readonly digest = new Digest();
  readonly rowsFired = new Uint32Array(ROWS.length + 1);
  now = 0;
  events = 0;
  /** Whether a message gets from one process to another, where that is not left to chance. */
  passes: ((from: Node, to: Node, message: WireMessage) => boolean) | undefined;
  /** Sizes of messages are added up where a measurement needs them. */
  countsBytes = false;
  bytesSent = 0;
  crashes = 0;
  equivocations = 0;
  healedAtMs: number | undefined;
  failure: Failure | undefined;
  /** Why the run ended without a verdict. */
  abandoned: string | undefined;
  readonly #queue = new EventQueue<WorldEvent>();
  readonly #checkers: readonly Checker[];
  readonly #watch: Watch;
  readonly #counting: Checker = {
    onStep: (_world, _node, _before, _input, { rows }) => {
      for (const row of rows) this.rowsFired[row] = (this.rowsFired[row] as number) + 1;
    },
    onConflict: () => {
      this.equivocations += 1;
    },
  };
  readonly #byIndex: Node[][] = [];
  readonly #peers: number[][] = [];
  readonly #ids: string[] = [];
  readonly #indexes = new Map<string, number>();
  #cuts = 0;
  #decisions = 0;
  #decisionsLookedAt = -1;
  #error: { readonly error: unknown } | undefined;

  constructor(
    plan: Plan,
    protocol: Protocol,
    checkers: readonly Checker[],
    level: Level = FINALITY_LEVEL,
  ) {
    this.plan = plan;
    this.level = level;
    this.protocol = protocol;
    this.#checkers = checkers;
    this.#watch = watchOf([this.#counting, ...checkers], plan);
    this.random = new Random(plan.seed, 2);
    this.keyring = new Keyring({
      believed: (height, seat) => this.chain.epochAt(protocol.keyedAt(height))?.keys[seat],
      real: (height, seat) => this.chain.epochAt(height, epochOf)?.keys[seat],
    });
    const committees = level.committees ?? new PlannedCommittees(plan);
    this.chain = new Chain(plan, protocol, this.keyring, committees);
    this.codec = new PacketCodec(this.keyring);
    this.checks = new KeyringChecks(this.keyring, this.chain, protocol);
    this.network = new Network(plan, this.random, (index) => this.#isUp(index));
    const indexes = [...Array(plan.validators).keys()];
    for (const index of indexes) {
      const id = toHex(Uint8Array.of(index));
      this.#ids.push(id);
      this.#indexes.set(id, index);
      this.#peers.push(indexes.filter((other) => other !== index));
      const name = plan.byzantine.get(index);
      const behaviour: Behaviour | undefined = name === undefined ? undefined : ACTORS[name];
      const count = behaviour?.instances ?? (hasTwin(plan, index) ? 2 : 1);
      const instances = Array.from(
        { length: count },
        (_, at) => new Node(this, index, at, behaviour),
      );
      this.#byIndex.push(instances);
      this.nodes.push(...instances);
    }
  }

  get honest(): Node[] {
    return this.nodes.filter((node) => this.#counts(node));
  }

  /** Runs without healing until all honest nodes have decided a height, or time is over. */
  runUntil(height: number, msMax: number): void {
    this.#begin();
    while (this.failure === undefined && this.now < msMax) {
      if ((this.events & 255) === 0 && this.lowestHeight() >= height) return;
      this.#runNext();
    }
  }

  /** Runs the safety phase, heals, runs until all honest nodes have moved on, and asks checkers. */
  run(): void {
    this.#begin();
    let target: number | undefined;
    while (this.failure === undefined && this.abandoned === undefined) {
      if (this.events >= EVENTS_MAX) break;
      this.#runNext();
      if (this.healedAtMs === undefined) continue;
      target ??=
        Math.max(...this.honest.map((node) => node.disk.chain.length)) + this.plan.livenessHeights;
      if ((this.events & 31) === 0 && this.#hasReached(target)) break;
      if (this.now > this.healedAtMs + LIVENESS_MS_MAX) break;
    }
    if (this.abandoned !== undefined) return;
    if (this.failure === undefined && (target === undefined || this.lowestHeight() < target))
      this.#failLiveness(target);
    if (this.abandoned !== undefined) return;
    for (const checker of this.#checkers) if (this.failure === undefined) checker.atEnd?.(this);
  }

  #failLiveness(target: number | undefined): void {
    const height = this.lowestHeight() + 1;
    const isElected = this.level.committees !== undefined;
    const trouble = isElected ? committeeTrouble(this, height) : undefined;
    const heights = this.honest.map((node) => node.disk.chain.length).join(',');
    if (trouble !== undefined) this.abandon(trouble);
    else this.fail('liveness', `heights ${heights}, wanted ${target ?? 'more'}`);
  }

  /** Heights after the target are there for what has to happen in the end. */
  #hasReached(target: number): boolean {
    const height = this.lowestHeight();
    if (height < target) return false;
    if (height >= target + SETTLING_HEIGHTS + this.plan.byzantine.size) return true;
    // What has to happen in the end happens in a cut, so it is looked for when one was decided.
    if (this.#decisions === this.#decisionsLookedAt) return false;
    this.#decisionsLookedAt = this.#decisions;
    return this.#checkers.every((checker) => checker.isSettled?.(this) ?? true);
  }

  #counts(node: Node): boolean {
    return node.isHonest && !this.plan.absent.has(node.index) && !isAway(node);
  }

  #runNext(): void {
    const event = this.#queue.pop();
    if (event === undefined) return;
    this.now = this.#queue.time;
    this.events += 1;
    if (this.#isForBusyNode(event)) return;
    this.#mixEvent(event);
    this.#dispatch(event);
    if (this.#error !== undefined) throw this.#error.error;
  }

  /** What reaches a process in a blocking call waits for its end. */
  #isForBusyNode(event: WorldEvent): boolean {
    const busyUntil = event.node?.busyUntil ?? 0;
    if (busyUntil <= this.now) return false;
    this.#queue.push(event, busyUntil);
    return true;
  }

  /** Ends the simulation with an error that no part of it expects. */
  rethrow(error: unknown): void {
    this.#error ??= { error };
  }

  lowestHeight(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const node of this.nodes)
      if (this.#counts(node)) lowest = Math.min(lowest, node.disk.chain.length);
    return lowest;
  }

  #begin(): void {
    const { plan, random } = this;
    prepareMishaps(this);
    for (const node of this.nodes) {
      if (plan.absent.has(node.index)) continue;
      const offsetMs = random.between(-plan.clockSkewMsMax, plan.clockSkewMsMax);
      node.clockOffsetMs = plan.clockOffsetsMs?.[node.index] ?? offsetMs;
      if (isAway(node)) continue;
      node.start('first');
      if (node.behaviour?.mischief !== undefined) this.#mischiefLater(node, MISCHIEF_MS);
      if (plan.clockJumpMsMax > 0 && plan.jumpers.has(node.index))
        this.#jumpLater(node, random.between(0, plan.safetyMs));
    }
    planMishaps(this);
    if (plan.partition !== 'none') this.#changePartitionLater(random.between(0, 3_000));
    this.#push('heal', plan.safetyMs, () => this.#heal());
  }

  #mixEvent(event: WorldEvent): void {
    this.digest.mix(Math.floor(this.now * 1000) | 0);
    this.digest.mix(event.type.length);
    if (event.node !== undefined) this.digest.mix(event.node.index);
  }

  #dispatch({ type, node, from, via, message, withBodies, life, call }: WorldEvent): void {
    if (type === 'deliver') node?.receive(from, via, message as WireMessage, withBodies);
    else if (node === undefined || node.life === life) call?.();
  }

  /** Those that the node has a connection with. */
  neighboursOf(index: number): string[] {
    const neighbours: string[] = [];
    for (const peer of this.#peers[index] as number[])
      if (this.network.isDirect(index, peer) && this.#isUp(peer))
        neighbours.push(this.#ids[peer] as string);
    return neighbours;
  }

  idOf(index: number): string {
    return this.#ids[index] as string;
  }

  indexOf(validatorId: string): number | undefined {
    return this.#indexes.get(validatorId);
  }

  #isUp(index: number): boolean {
    for (const { up } of this.#byIndex[index] ?? []) if (up) return true;
    return false;
  }

  #mischiefLater(node: Node, delayMs: number): void {
    this.#push('mischief', delayMs, () => {
      node.lies?.mischief?.(node);
      this.#mischiefLater(node, this.random.exponential(MISCHIEF_MS));
    });
  }

  #jumpLater(node: Node, delayMs: number): void {
    this.#push('clockJump', delayMs, () => {
      if (this.healedAtMs !== undefined) return;
      const { clockJumpMsMax } = this.plan;
      node.clockOffsetMs += this.random.between(-clockJumpMsMax, clockJumpMsMax);
      this.#jumpLater(node, this.random.between(500, 10_000));
    });
  }

  #changePartitionLater(delayMs: number): void {
    this.#push('partition', delayMs, () => {
      if (this.healedAtMs !== undefined) return;
      this.network.changePartition();
      this.#changePartitionLater(this.random.between(200, 6_000));
    });
  }

  #restartLater(node: Node, delayMs: number): void {
    this.#push('restart', delayMs, () => {
      if (!node.up && !node.isGone) node.start('existing');
    });
  }

  #heal(): void {
    this.healedAtMs = this.now;
    this.network.heal();
    for (const node of this.nodes) {
      node.clockOffsetMs = this.plan.clockOffsetsMs?.[node.index] ?? 0;
      node.disk.isFull = false;
      if (!node.up && !isAway(node)) this.#restartLater(node, 0);
    }
  }

  /** Something that an operator does after a while. */
  mishapLater(delayMs: number, call: () => void): void {
    this.#push('mishap', delayMs, call);
  }

  /** The most decided heights that an honest process elsewhere can show. */
  shownHeight(index: number): number {
    let highest = 0;
    for (const node of this.nodes)
      if (node.up && node.isHonest && node.index !== index)
        highest = Math.max(highest, node.disk.chain.length);
    return highest;
  }

  #push(type: Happening, delayMs: number, call: () => void): void {
    this.#queue.push(callOf(type, undefined, 0, call), this.now + delayMs);
  }

  send(sender: Node, to: number, message: WireMessage, from: number): void {
    if (to === sender.index || !hasLink(this, sender)) return;
    // An honest relay names as the sender who handed the message over.
    if (from !== sender.index && !this.network.isDirect(sender.index, to)) return;
    const { slow, slowMs, staysSlow } = this.plan;
    const isSlow = (this.healedAtMs === undefined || staysSlow) && slow.has(to);
    const waitMs = sender.now - this.now + (isSlow ? slowMs : 0);
    const { network } = this;
    const copies = network.copies(sender.index, to, sender.now);
    if (this.countsBytes) this.bytesSent += network.hopsOf(sender.index, to) * packetBytes(message);
    if (copies === 0) return;
    const withBodies = this.#hasBodies(sender, to, message);
    for (const node of this.#byIndex[to] as Node[]) {
      if (this.passes?.(sender, node, message) === false || !hasLink(this, node)) continue;
      for (let copy = 0; copy < copies; copy++) {
        const at = this.now + waitMs + network.delayOf(copy);
        this.#queue.push(deliveryOf(node, from, network.carrierOf(copy), message, withBodies), at);
      }
    }
  }

  /** Calls in the same life of a node; returns a function that cancels the call. */
  callLater(node: Node, life: number, delayMs: number, call: () => void): () => void {
    const at = node.now + Math.max(0, delayMs);
    const event = callOf('call', node, life, call);
    this.#queue.push(event, at);
    return () => {
      event.call = undefined;
    };
  }

  syncLater(node: Node): void {
    syncLater(this, node);
  }

  scheduleRestart(node: Node): void {
    this.crashes += 1;
    const delayMs =
      this.healedAtMs === undefined ? this.random.between(200, this.plan.restartMsMax) : 200;
    const untilHeal = this.plan.safetyMs - this.now;
    if (this.healedAtMs !== undefined || delayMs < untilHeal) this.#restartLater(node, delayMs);
  }

  crashesNow(): boolean {
    return this.healedAtMs === undefined && this.random.chance(this.plan.crashRate);
  }

  /** How long a sync takes; it may fail, and then the process ends. */
  syncDelay(): number {
    const { syncMsMax, syncFailureRate } = this.plan;
    if (this.healedAtMs !== undefined || syncMsMax === 0) return 0;
    if (this.random.chance(syncFailureRate)) throw SIMULATED_CRASH;
    return this.random.between(0.1, syncMsMax);
  }

  applicationDelay(): number {
    const { applicationMsMax } = this.plan;
    if (this.healedAtMs !== undefined || applicationMsMax === 0) return 0;
    return this.random.between(0.1, applicationMsMax);
  }

  peersOf(index: number): number[] {
    return this.#peers[index] as number[];
  }

  nextCutId(index: number): Cut['id'] {
    this.#cuts += 1;
    return `cut ${this.#cuts} by ${index}` as Cut['id'];
  }

  /** Bodies travel ahead of proposals, except those that their maker gives to few. */
  #hasBodies(from: Node, to: number, message: WireMessage): boolean {
    if (message.kind !== 'proposalWithCut' || !from.application.bodies.has(message.cut.value))
      return false;
    const { bodiesFor, proposer, height } = message.cut as Cut;
    if (bodiesFor === 'everybody' || bodiesFor.has(to)) return true;
    return this.chain.validatorAt(height, proposer) !== from.index;
  }

  abandon(why: string): void {
    this.abandoned ??= why;
  }

  fail(checker: string, detail: string): void {
    this.failure ??= { checker, detail, atMs: this.now };
  }

  observe<Name extends keyof Seen>(name: Name, node: Node, ...seen: Seen[Name]): void {
    if (node.isHonest) for (const hook of this.#watch[name]) hook(this, node, ...seen);
  }

  observeSigned(node: Node, message: SignedMessage): void {
    if (isOriginalUnseen(this, node)) this.abandon('no header named the original of a copied disk');
    if (this.abandoned === undefined) this.observe('onSigned', node, message);
  }

  observeDecision(node: Node, cut: Cut, certificate: CommitCertificate): void {
    this.digest.mixText(cut.id);
    this.#decisions += 1;
    this.observe('onDecision', node, cut, certificate);
  }
}
