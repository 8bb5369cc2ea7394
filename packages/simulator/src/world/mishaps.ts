/**
 * What operators do to their own validators: they start a second process with the same key from an old copy of the
 * chain and without a record of what was signed, or from a copy of the whole disk, put an old copy of the whole disk back, let
 * a disk fill up, or come back late, when the others need them.
 */
import { decodeSignState, isBitSet } from 'svc-consensus/machine';
import { DiskFullError } from '../base/failure.ts';
import { Random } from '../base/random.ts';
import type { Application } from '../node/application.ts';
import type { Node } from '../node/node.ts';
import type { LateReturn, Plan } from '../plan/plan.ts';
import type { CopiedDisk } from '../plan/rare-plans.ts';
import type { Decision } from './disk.ts';
import type { Surroundings } from './surroundings.ts';

/** How often a process that is behind asks the others for what they have decided. */
const SYNC_MS = 300;
/** A copy is put back only when all others have decided this many heights more than it has: any of them shows its age. */
const COPY_AGE_MIN = 2;
const TRIES_MS = 300;
/** Longer than a validator listens after its start. */
const STEADY_MS = 30_000;
/** Cuts for which a validator listens at each start: ADR 0316. */
const LISTENING_CUTS = 8;
/** How far above the head at which its silence begins a key may have signed before. */
const SIGNED_AHEAD_MAX = 2;
/** A cut that is later than the start of a process by more than this was signed since. */
const CLOCK_ERROR_MS = 10_000;
const NO_RECORD = new Uint8Array(0);

/** What operators and ordinary peers see of the world. */
type MishapWorld = Surroundings<Node, Application>;

/** Whether the operator of a validator starts a second process with its key. */
export function hasTwin({ staleTwin, copied }: Plan, index: number): boolean {
  return index === staleTwin || index === copied?.index;
}

/** Whether a node is the second process of a key. */
function isTwin({ world: { plan }, index, instance }: Node): boolean {
  return hasTwin(plan, index) && instance === 1;
}

/** Whether a node is a second process that is not started yet, or one that its operator starts no more. */
export function isAway(node: Node): boolean {
  return node.isGone || (isTwin(node) && node.life === 0);
}

/** Before any process starts: one that another one will have a copy of listens at each of its starts, as every node with peers does. */
export function prepareMishaps(world: MishapWorld): void {
  for (const node of world.nodes)
    if (node.index === world.plan.copied?.index) node.isCurrent = () => isNotBehind(world, node);
}

/** Two processes of a key have the same addresses, so others may have a link with one of them alone. */
export function hasLink({ plan, now, nodes }: MishapWorld, { index, instance }: Node): boolean {
  const { copied } = plan;
  if (index !== copied?.index || copied.linked === 'both') return true;
  if (nodes.filter((node) => node.index === index && node.up).length < 2) return true;
  // No even turns: those would go with the pace of cuts.
  const isTurnOfCopy = new Random(Math.floor(now / copied.linkTurnMs), plan.seed).chance(0.5);
  const isCopyLinked = copied.linked === 'turns' && isTurnOfCopy;
  return isCopyLinked === (instance === 1);
}

export function planMishaps(world: MishapWorld): void {
  const { plan } = world;
  const random = new Random(plan.seed, 4);
  const at = (low: number, high: number) => random.between(low, high) * plan.safetyMs;
  const [twin, restored] = [at(0.2, 0.9), at(0.05, 0.3)];
  const age = random.unit();
  if (plan.staleTwin !== undefined)
    world.mishapLater(twin, () => startTwin(world, plan.staleTwin as number, age));
  if (plan.restored !== undefined)
    world.mishapLater(restored, () => copyDisk(world, plan.restored as number));
  const { copied } = plan;
  if (copied !== undefined)
    world.mishapLater(copied.copiedAtMs, () => startFromCopy(world, copied));
  for (const { index, fromMs, untilMs } of plan.fullDisks) {
    world.mishapLater(fromMs, () => fillDisk(world, index, true));
    world.mishapLater(untilMs, () => fillDisk(world, index, false));
  }
  for (const { validator, fromMs, untilMs } of plan.changes?.absences ?? []) {
    const nodes = world.nodes.filter(({ index }) => index === validator);
    world.mishapLater(fromMs, () => {
      if (world.healedAtMs === undefined) for (const node of nodes) if (node.up) node.stop();
    });
    world.mishapLater(untilMs, () => {
      for (const node of nodes) if (!node.up && !isAway(node)) node.start('existing');
    });
  }
  const { lateReturn } = plan;
  if (lateReturn !== undefined)
    world.mishapLater(lateReturn.awayFromMs, () => stayAway(world, lateReturn));
}

/** Stops a validator until others are two heights ahead; when it comes back, another one leaves for good. */
function stayAway(world: MishapWorld, { returns, leaves }: LateReturn): void {
  const node = world.nodes.find(({ index }) => index === returns);
  const other = world.nodes.find(({ index }) => index === leaves);
  if (node === undefined || other === undefined) return;
  node.isCurrent = () => isNotBehind(world, node);
  if (node.up) node.stop();
  const comeBack = () => {
    const isAhead = world.shownHeight(returns) >= node.disk.chain.length + COPY_AGE_MIN;
    if (world.healedAtMs === undefined && !isAhead) {
      world.mishapLater(TRIES_MS, comeBack);
      return;
    }
    if (!node.up) node.start('existing');
    other.isGone = true;
    if (other.up) other.stop();
  };
  world.mishapLater(TRIES_MS, comeBack);
}

/** A disk that is full keeps what it has and refuses everything more. */
function fillDisk(world: MishapWorld, index: number, isFull: boolean): void {
  for (const node of world.nodes)
    if (node.index === index) node.disk.isFull = isFull && world.healedAtMs === undefined;
}

/**
 * Two processes of one key that start in the same seconds with lost records are silent for the same cuts, and neither sees
 * the other in a header: no rule promises anything of them. A process starts beside one that signs.
 */
function isListening(node: Node): boolean {
  return node.up && node.life > 0 && !node.isSigning;
}

function startTwin(world: MishapWorld, index: number, age: number): void {
  const [first, second] = world.nodes.filter((node) => node.index === index);
  if (first === undefined || second === undefined) return;
  if (world.plan.restored === index && isListening(first)) {
    if (world.healedAtMs === undefined)
      world.mishapLater(TRIES_MS, () => startTwin(world, index, age));
    return;
  }
  const { chain } = first.disk;
  const kept = chain.slice(0, Math.floor(age * chain.length));
  const empty = { log: [], cuts: new Map(), signState: undefined, evidence: [] };
  second.restore({ ...empty, chain: kept });
  second.isCurrent = () => isCurrent(world, second);
  second.start('new');
  // A process that is away until the silence of the second one is over is behind when it comes back, and listens first.
  first.isCurrent = () => isNotBehind(world, first);
}

/**
 * Copies the disk of a running validator and starts the copy beside it, at once or after a while. Two processes of one key that
 * both start in the same seconds cannot tell who was first, so the one that was there stays.
 */
function startFromCopy(world: MishapWorld, copied: CopiedDisk): void {
  const [first, second] = world.nodes.filter((node) => node.index === copied.index);
  if (first === undefined || second === undefined || world.healedAtMs !== undefined) return;
  const copy = first.disk.copy();
  const record = copy.signState;
  if (!first.up || record === undefined) {
    world.mishapLater(TRIES_MS, () => startFromCopy(world, copied));
    return;
  }
  const { key } = first;
  const start = (): void => {
    if (world.healedAtMs !== undefined) return;
    if (!first.isSigning) {
      world.mishapLater(TRIES_MS, start);
      return;
    }
    first.steadyUntil = world.now + STEADY_MS;
    second.restore(copy);
    second.key = key;
    second.copiedHeight = decodeSignState(record)?.last?.height ?? 0;
    second.copiedChain = copy.chain.length;
    second.isCurrent = () => isCurrent(world, second);
    second.start('existing');
    if (copied.originalEndsMs === undefined) return;
    world.mishapLater(copied.originalEndsMs, () => {
      first.isGone = true;
      if (first.up) first.stop();
    });
  };
  world.mishapLater(copied.startsAtMs - copied.copiedAtMs, start);
}

/**
 * Whether a copy signs that could not know of the original: this signs too, but no header named it in all the cuts for which
 * the copy listened. Its votes came late, or over links that the copy did not have. A copy that has seen its record to be old
 * listens during the silence that follows.
 */
export function isOriginalUnseen(
  { nodes, chain: committees, protocol }: MishapWorld,
  copy: Node,
): boolean {
  const { index, instance, disk, copiedHeight, copiedChain, startedAtMs } = copy;
  if (copiedHeight === undefined) return false;
  const record = decodeSignState(disk.signState.read() ?? NO_RECORD);
  const silentThrough = record?.silentThrough ?? 0;
  if (disk.chain.length < Math.max(copiedChain + LISTENING_CUTS, silentThrough)) return false;
  if (!nodes.some((node) => node.index === index && node.instance !== instance && node.isSigning))
    return false;
  const silentFrom = silentThrough - protocol.keyRules.silentCuts;
  return disk.chain.slice(copiedChain).every(({ cut }, at) => {
    const signed = copiedChain + at;
    const seat = committees.seatOf(Math.max(1, signed), index);
    if (signed <= copiedHeight || seat === undefined) return true;
    const signedTimeMs = Number(disk.chain[signed - 1]?.cut.timeMs);
    const isOlder = signedTimeMs <= startedAtMs + CLOCK_ERROR_MS;
    const mayBeOwn = isOlder && signed <= silentFrom + SIGNED_AHEAD_MAX;
    return mayBeOwn || !isBitSet(cut.previousSigners, seat);
  });
}

function copyDisk(world: MishapWorld, index: number): void {
  const node = world.nodes.find((one) => one.index === index);
  if (node === undefined) return;
  const { key } = node;
  const copy = node.disk.copy();
  const restore = () => {
    if (world.healedAtMs !== undefined) return;
    const isTwinListening = world.nodes.some(
      (other) => other !== node && other.index === index && isListening(other),
    );
    if (isTwinListening || leastHeight(world, index) < copy.chain.length + COPY_AGE_MIN) {
      world.mishapLater(TRIES_MS, restore);
      return;
    }
    if (node.up) node.stop();
    node.restore(copy);
    node.key = key;
    node.isCurrent = () => isCurrent(world, node);
    node.start(copy.signState === undefined ? 'first' : 'existing');
  };
  world.mishapLater(TRIES_MS, restore);
}

/** The fewest decided heights on the disk of an honest process elsewhere, whether it is up or not. */
function leastHeight({ nodes }: MishapWorld, index: number): number {
  const others = nodes.filter((node) => node.index !== index && node.isHonest && !isAway(node));
  return Math.min(...others.map(({ disk }) => disk.chain.length));
}

/** Another process is there, and none is ahead. */
function isCurrent(world: MishapWorld, node: Node): boolean {
  const shown = world.shownHeight(node.index);
  return shown > 0 && node.disk.chain.length >= shown;
}

/** None is ahead: also before the first cut, when others have nothing to show but themselves. */
function isNotBehind(world: MishapWorld, { disk, index }: Node): boolean {
  return disk.chain.length >= world.shownHeight(index);
}

/** Members send each other what they decided; a node without a seat, or behind those with one, asks ordinary peers. */
function needsSync(node: Node, best: Node): boolean {
  const { height } = node.application.next;
  const isSeated = node.world.chain.seatOf(height, node.index) !== undefined;
  return !isSeated || best.disk.chain.length >= height + 1;
}

function missing({ plan }: MishapWorld, node: Node, best: Node): readonly Decision[] {
  const { length } = node.disk.chain;
  const isSlow = plan.copied?.syncsSlowly === true && isTwin(node);
  return best.disk.chain.slice(length, isSlow ? length + 1 : undefined);
}

/** Ordinary peers give what is final, as the sync of a node fetches it. */
export function syncLater(world: MishapWorld, node: Node): void {
  const { life } = node;
  world.callLater(node, life, SYNC_MS, () => {
    const best = world.nodes.reduce((furthest, other) =>
      other.isHonest && other.up && other.disk.chain.length > furthest.disk.chain.length
        ? other
        : furthest,
    );
    try {
      if (node.isCurrent !== undefined || needsSync(node, best))
        for (const { cut, certificate } of missing(world, node, best))
          node.application.commit({ cut }, certificate);
    } catch (error) {
      if (!(error instanceof DiskFullError)) throw error;
      node.crash();
      return;
    }
    syncLater(world, node);
  });
}
