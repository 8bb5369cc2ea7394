/**
 * Full nodes under one seed: virtual time, a network that loses and delays, crashes between any two effects, a power
 * cut for all, disks that are lost, miners. Chains answer with promises, so after every event the world waits until
 * nothing is left to run in this turn.
 */
import { type SignedMessage, sameSignedBytes, TIMING } from 'svc-consensus/machine';
import type { ValidatorKey } from 'svc-consensus/shell';
import { Digest } from '../base/digest.ts';
import { CallQueue } from '../base/event-queue.ts';
import { type Failure, SIMULATED_CRASH } from '../base/failure.ts';
import { Random } from '../base/random.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import { Network } from '../world/network.ts';
import { LapseWatch, RotationWatch } from './epoch-watches.ts';
import { FullNode, type FullWorld } from './full-node.ts';
import { createFullSetting, type FullSetting, type ShortEpochs } from './full-setting.ts';
import { Miners, proofHolds } from './miners.ts';
import { NODE_RULES, type NodeRules } from './node-rules.ts';
import { PeerNet } from './peer-net.ts';

const EVENTS_MAX = 400_000;
/** Within this time after everything has healed the heights of the plan have to be decided. */
const LIVENESS_MS_MAX = 60_000;
/** Longer with peers: a validator that was away for long is silent for up to a minute. */
const LIVENESS_WITH_PEERS_MS_MAX = 150_000;
/** The shortest epoch that a network can have. */
const ROTATION_EPOCH_CUTS = 12;
/** At its own pace a heartbeat and its block have time for this epoch. */
const OUTAGE_EPOCH_CUTS = 24;
const PACE_MS = Number(TIMING.paceMs);
const WRONG_CLOCKS_GENESIS_MS = 1_800_000_000_000;
const RESTART_MS_MAX = 4_000;
const PARTITION_MS_MAX = 6_000;
const CLOCK_STREAM = 29;
const JUMP_AFTER_MS_MIN = 500;
const JUMP_AFTER_MS_MAX = 10_000;

export class SimulatedNetwork implements FullWorld {
  readonly plan: NodePlan;
  readonly rules: NodeRules;
  readonly proofHolds = proofHolds;
  readonly setting: FullSetting;
  /** Validators, then those who only follow. */
  readonly nodes: readonly FullNode[];
  readonly validators: readonly FullNode[];
  readonly peerNet: PeerNet | undefined;
  readonly rotation: RotationWatch | undefined;
  readonly lapses: LapseWatch | undefined;
  readonly digest = new Digest();
  readonly random: Random;
  /** Draws how wrong wall clocks are. */
  readonly #clockRandom: Random;
  readonly miners: Miners;
  /** Jumps of wall clocks. */
  clockJumps = 0;
  events = 0;
  crashes = 0;
  powerCuts = 0;
  failure: Failure | undefined;
  healedAtMs: number | undefined;
  readonly #network: Network;
  readonly #calls = new CallQueue();
  readonly #decided = new Map<number, string>();
  readonly #signed = new Map<string, SignedMessage>();
  /** The newest height at which each validator has signed. */
  readonly #signedThrough = new Map<number, number>();
  /** Precommits for a cut at the height of the power cut. */
  #precommits = 0;
  #underWay = 0;
  /** When power was cut. */
  #outageAtMs: number | undefined;

  constructor(plan: NodePlan, rules: NodeRules = NODE_RULES) {
    this.plan = plan;
    this.rules = rules;
    this.random = new Random(plan.seed, 4);
    this.setting = createFullSetting(
      plan.stakes[0] ?? [],
      epochsOf(plan, rules),
      genesisMillisOf(plan),
    );
    this.#network = new Network(plan, this.random, (index) => this.nodes[index]?.isUp === true);
    const count = plan.validators + (plan.peers?.observers ?? 0);
    this.nodes = Array.from({ length: count }, (_, index) => new FullNode(this, index));
    this.validators = this.nodes.slice(0, plan.validators);
    this.peerNet = plan.peers && new PeerNet(this, plan.peers);
    const keys = this.setting.rotation;
    this.rotation = plan.rotation && keys && new RotationWatch(this, keys, plan.rotation);
    this.lapses = plan.outage && new LapseWatch(this);
    this.#clockRandom = new Random(plan.seed, CLOCK_STREAM);
    this.miners = new Miners(this);
  }

  get now(): number {
    return this.#calls.now;
  }

  /** Of all that are there or will be. */
  get lowestHeight(): number {
    return Math.min(...this.#staying.map(({ height }) => height));
  }

  get #staying(): FullNode[] {
    return this.nodes.filter(({ isGone }) => !isGone);
  }

  /** Runs with faults, heals, and wants all nodes to decide the heights that the plan asks for. */
  async run(): Promise<void> {
    for (const node of this.nodes) this.#startClock(node);
    for (const node of this.nodes) await this.#startFirst(node);
    this.#scheduleFaults();
    this.peerNet?.start();
    this.rotation?.start();
    let target: number | undefined;
    while (this.failure === undefined && this.events < EVENTS_MAX) {
      const call = this.#calls.next();
      if (call === undefined) break;
      this.events += 1;
      call();
      await this.#turnEnd();
      if (this.healedAtMs === undefined) continue;
      target ??= Math.max(...this.nodes.map(({ height }) => height)) + this.plan.livenessHeights;
      const isSettled = this.peerNet?.isSettled !== false && this.#missing === undefined;
      if (isSettled && this.lowestHeight >= target) break;
      if (this.now > this.healedAtMs + this.#livenessMsMax) break;
    }
    if (this.failure === undefined && (target === undefined || this.lowestHeight < target))
      this.fail('liveness', `heights ${this.nodes.map(({ height }) => height).join(',')}`);
    if (this.#missing !== undefined) this.fail(...this.#missing);
    for (const node of this.nodes) this.#checkStoppedKey(node);
  }

  /** At once, or when the plan says; a node that was struck for good before never starts. */
  async #startFirst(node: FullNode): Promise<void> {
    const lateMs = this.plan.lateStarts.get(node.index);
    if (lateMs === undefined) return node.start();
    this.callLater(lateMs, () => {
      if (!node.isGone) this.await(node.start());
    });
  }

  /** What the epochs of the plan still owe: the checker, and what it says. */
  get #missing(): [string, string] | undefined {
    const [rotation, outage] = [this.rotation?.missing, this.lapses?.missing];
    if (rotation !== undefined) return ['rotation', rotation];
    return outage === undefined ? undefined : ['outage', outage];
  }

  /** Votes of heights that were final before the silence of a new record began must stop no key. */
  #checkStoppedKey({ index, stoppedAfterNewRecordAt: begun }: FullNode): void {
    const signedThrough = this.#signedThrough.get(index) ?? 0;
    if (begun !== undefined && begun > 0 && signedThrough <= begun)
      this.fail(
        'keyStopped',
        `node ${index} signed through ${signedThrough}, silent since ${begun}`,
      );
  }

  get #livenessMsMax(): number {
    return this.peerNet === undefined ? LIVENESS_MS_MAX : LIVENESS_WITH_PEERS_MS_MAX;
  }

  isOpen(from: number, to: number): boolean {
    return this.#network.isOpen(from, to);
  }

  onMined(blockId: string): void {
    this.peerNet?.onMined(blockId);
  }

  onPeersOpened(node: FullNode): void {
    this.peerNet?.onStarted(node);
  }

  onRemoved(node: FullNode, transactionId: string, reason: string): void {
    this.peerNet?.payer.onRemoved(node, transactionId, reason);
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close();
  }

  neighboursOf(index: number): string[] {
    return this.nodes
      .filter(
        (node) => node.index !== index && node.isUp && this.#network.isDirect(index, node.index),
      )
      .map(({ id }) => id);
  }

  send(from: number, to: string, packet: Uint8Array): void {
    const node = this.nodes.find(({ id }) => id === to);
    if (node === undefined || node.index === from) return;
    const sender = this.setting.validatorIds[from] as string;
    const { slow, slowMs } = this.plan;
    const isSlow = this.healedAtMs === undefined && slow.has(node.index);
    const copies = this.#network.copies(from, node.index, this.now);
    for (let copy = 0; copy < copies; copy++) {
      const delayMs = this.#network.delayOf(copy) + (isSlow ? slowMs : 0);
      this.callLater(delayMs, () => node.receive(sender, packet));
    }
  }

  callLater(delayMs: number, call: () => void): () => void {
    return this.#calls.later(delayMs, call);
  }

  await(promise: Promise<unknown>): void {
    this.#underWay += 1;
    promise
      .catch((error: unknown) => this.fail('error', String(error)))
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  crashesNow(): boolean {
    return this.healedAtMs === undefined && this.random.chance(this.plan.crashRate);
  }

  onCrash(node: FullNode): void {
    this.crashes += 1;
    if (node.isGone) return;
    const awayMs = this.now === this.#outageAtMs ? (this.plan.outage?.awayMs ?? 0) : 0;
    const restartMs = awayMs + this.random.between(200, RESTART_MS_MAX);
    this.callLater(restartMs, () => this.await(node.start()));
  }

  /** A key that has lost its record and hears what it signed at a height in progress stops for good, as it should. */
  onKeyStopped(node: FullNode): void {
    node.isGone = true;
  }

  onSigned(index: number, message: SignedMessage, key: ValidatorKey): void {
    this.rotation?.onSigned(index, message, key);
    this.#signedThrough.set(index, message.height);
    const position = `${index}/${message.height}/${message.round}/${message.kind}`;
    const known = this.#signed.get(position);
    if (known !== undefined && !sameSignedBytes(known, message))
      this.fail('singleSignature', `${position}: ${known.value} and ${message.value}`);
    this.#signed.set(position, message);
    const { powerCut } = this.plan;
    if (message.kind !== 'precommit' || message.value === null) return;
    if (this.healedAtMs !== undefined || message.height !== powerCut?.height) return;
    this.#precommits += 1;
    if (this.#precommits !== powerCut.precommits) return;
    this.#cutPower(index);
    throw SIMULATED_CRASH;
  }

  onFinalized(node: FullNode, height: number, cutId: string, stateRoot: string): void {
    const found = `${cutId} ${stateRoot}`;
    const known = this.#decided.get(height);
    if (known === undefined) {
      this.#decided.set(height, found);
      this.digest.mixText(found);
      if (this.peerNet === undefined) this.miners.mineOn(node);
    } else if (known !== found) this.fail('agreement', `height ${height}: ${known} and ${found}`);
    this.rotation?.onFinalized(node);
    this.lapses?.onFinalized(node);
    if (this.peerNet === undefined) return;
    if (node === this.peerNet.minedNode) this.miners.mineOn(node);
    this.peerNet.onFinalized(node);
  }

  fail(checker: string, detail: string): void {
    this.failure ??= { checker, detail, atMs: this.now };
  }

  #scheduleFaults(): void {
    const { safetyMs, partition, powerCut, gone, diskLost } = this.plan;
    this.callLater(safetyMs, () => this.#heal());
    if (partition !== 'none') this.#changePartitionLater();
    if (powerCut !== undefined) return;
    for (const index of [...gone, ...diskLost])
      this.callLater(this.random.between(0, safetyMs), () => this.#strike(index));
  }

  #changePartitionLater(): void {
    this.callLater(this.random.between(0, PARTITION_MS_MAX), () => {
      if (this.healedAtMs !== undefined) return;
      this.#network.changePartition();
      this.#changePartitionLater();
    });
  }

  /** All processes end at once; the one that is signing at this moment ends by itself. */
  #cutPower(signing: number): void {
    this.powerCuts += 1;
    this.#outageAtMs = this.now;
    for (const { index } of this.nodes) this.#strike(index, index !== signing);
  }

  /** What a power cut does to a node, or a fault of its own. */
  #strike(index: number, endsNow = true): void {
    const node = this.nodes[index] as FullNode;
    if (this.plan.gone.has(index)) node.isGone = true;
    if (endsNow) node.crash();
    if (this.plan.diskLost.has(index)) node.loseDisk();
  }

  #heal(): void {
    this.healedAtMs = this.now;
    this.#network.heal();
    for (const node of this.nodes)
      if (!this.plan.clocksStayWrong || !this.#isJumper(node)) node.clockOffsetMs = 0;
  }

  /** All wall clocks differ a little, and those of some jump by up to an hour, while monotonic clocks run on. */
  #startClock(node: FullNode): void {
    const { clockSkewMsMax, clockJumpMsMax, safetyMs } = this.plan;
    node.clockOffsetMs = this.#clockRandom.between(-clockSkewMsMax, clockSkewMsMax);
    const firstMs = this.#clockRandom.between(0, safetyMs);
    if (clockJumpMsMax > 0 && this.#isJumper(node))
      this.callLater(firstMs, () => this.#jumpClock(node));
  }

  /** Validators whose clocks jump stay below a third of the stake; observers jump too. */
  #isJumper({ index }: FullNode): boolean {
    return this.plan.jumpers.has(index) || index >= this.plan.validators;
  }

  #jumpClock(node: FullNode): void {
    const { clocksStayWrong, clockJumpMsMax } = this.plan;
    if (this.healedAtMs !== undefined && !clocksStayWrong) return;
    node.clockOffsetMs += this.#clockRandom.between(-clockJumpMsMax, clockJumpMsMax);
    this.clockJumps += 1;
    const afterMs = this.#clockRandom.between(JUMP_AFTER_MS_MIN, JUMP_AFTER_MS_MAX);
    this.callLater(afterMs, () => this.#jumpClock(node));
  }

  /** Ends when everything that promises have left to run has run, also what a disk does in turns of its own. */
  async #turnEnd(): Promise<void> {
    await immediate();
    do await immediate();
    while (this.#underWay > 0);
  }
}

function epochsOf(
  { rotation, outage }: NodePlan,
  { distanceMs }: NodeRules,
): ShortEpochs | undefined {
  if (outage !== undefined) return { cuts: OUTAGE_EPOCH_CUTS, paceMs: distanceMs(outage.paceMs) };
  return rotation === undefined ? undefined : { cuts: ROTATION_EPOCH_CUTS, paceMs: PACE_MS };
}

/** Clocks that are set back by hours show a time after the beginning of Unix time; seeds without them stay what they are. */
function genesisMillisOf({ clockSkewMsMax, clockJumpMsMax }: NodePlan): number {
  return clockSkewMsMax + clockJumpMsMax > 0 ? WRONG_CLOCKS_GENESIS_MS : 0;
}

function immediate(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
