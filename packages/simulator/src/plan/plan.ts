/**
 * What a seed decides before anything runs: who takes part, who lies, which faults happen and how
 * often. Each class of fault is on in half of the seeds, so that rare mixtures occur.
 */
import {
  ACTOR_NAMES,
  type ActorName,
  LATE_ACTOR_NAMES,
  NOISY_ACTOR_NAMES,
} from '../actors/actor-names.ts';
import { Random } from '../base/random.ts';
import { type EpochRules, SHORT_EPOCHS } from '../world/cut.ts';
import {
  type CopiedDisk,
  copiesDisk,
  NOT_WHILE_COPYING,
  NOT_WHILE_SPLITTING,
  splitsClaims,
  withClaimSplitters,
  withCopiedDisk,
} from './rare-plans.ts';

const EARLY_FAULT_NAMES = [
  'loss',
  'duplication',
  'tail',
  'clog',
  'partition',
  'unrouted',
  'crash',
  'disk',
  'clock',
  'slowApplication',
  'stakeChange',
  'byzantine',
  'staleTwin',
  'restoredBackup',
] as const;
/** Drawn apart, so that seeds without them stay what they are. */
const LATE_FAULT_NAMES = ['fullDisk', 'slowMinority'] as const;
export const FAULT_NAMES = [
  ...EARLY_FAULT_NAMES,
  ...LATE_FAULT_NAMES,
  'lateReturn',
  'copiedDisk',
] as const;

/** Faults of full nodes alone; they are drawn apart, so that seeds of the other levels stay what they are. */
export const NODE_FAULT_NAMES = [
  'powerCut',
  'goneForEver',
  'diskLost',
  'withholding',
  'splitBodies',
  'tightPools',
  'spentBudgets',
  'slowMinority',
] as const;
export type NodeFaultName = (typeof NODE_FAULT_NAMES)[number];

/** Of full nodes too, drawn apart once more: without `peers` nodes have no mempool, relay or sync. */
export const PEER_FAULT_NAMES = ['peers', 'laggingPeers', 'lyingPeers'] as const;
/** Of full nodes with peers as well, drawn apart: peers that cost others something and claim nothing. */
export const PEST_NAMES = ['floodingPeers', 'silentPeers', 'reopeningPeers'] as const;
export type PestName = (typeof PEST_NAMES)[number];
export type PeerFaultName = (typeof PEER_FAULT_NAMES)[number];
/** Of full nodes with peers, whose epochs are short then: a validator rotates its key, or all are down for long. */
export const EPOCH_FAULT_NAMES = ['rotation', 'outage'] as const;
/** Of full nodes whose epochs are not short: validators start for the first time when the genesis is past. */
export const FIRST_START_FAULT_NAMES = ['lateStart'] as const;
/** Of level ledger: the committee changes. */
export const COMMITTEE_FAULT_NAMES = ['changes'] as const;
export type FaultName =
  | (typeof COMMITTEE_FAULT_NAMES)[number]
  | (typeof FAULT_NAMES)[number]
  | NodeFaultName
  | PeerFaultName
  | PestName
  | (typeof EPOCH_FAULT_NAMES)[number]
  | (typeof FIRST_START_FAULT_NAMES)[number];

/** Faults that are rarer than half of the seeds. */
const RATES: Readonly<Partial<Record<FaultName, number>>> = {
  byzantine: 0.9,
  staleTwin: 0.2,
  restoredBackup: 0.2,
  fullDisk: 0.15,
  slowMinority: 0.15,
};
const RATE = 0.5;
/** Of validators, in a seed with full disks. */
const FULL_DISK_RATE = 0.5;
const SLOW_MS_MAX = 2_500;
const LATE_ACTORS_RATE = 0.06;
const LATE_ACTORS_STREAM = 24;
const NOISY_ACTORS_RATE = 0.04;
const NOISY_ACTORS_STREAM = 32;
/** Their messages pile up between two turns of a process. */
const CROWDING_ACTORS: ReadonlySet<ActorName> = new Set(['inboxFlood', 'pretender']);
/** A batch of the inbox in each: so many messages in a second. */
const TURN_MS = 20;
/** Of seeds with a slow minority. */
const STAYS_SLOW_RATE = 0.5;
const STAYS_SLOW_STREAM = 25;

export interface Plan {
  readonly seed: number;
  readonly validators: number;
  /** Stakes by epoch, repeating. */
  readonly stakes: readonly (readonly bigint[])[];
  readonly byzantine: ReadonlyMap<number, ActorName>;
  readonly delayMsMin: number;
  readonly delayMeanMs: number;
  readonly lossRate: number;
  readonly duplicationRate: number;
  readonly tailRate: number;
  readonly clogRate: number;
  readonly partition: 'none' | 'symmetric' | 'isolated' | 'oneWay';
  readonly unrouted: ReadonlySet<number>;
  /** Chance of a crash at each effect boundary. */
  readonly crashRate: number;
  readonly restartMsMax: number;
  readonly syncMsMax: number;
  readonly syncFailureRate: number;
  readonly clockSkewMsMax: number;
  /** By how much each clock is wrong for good, where clocks are never set right. */
  readonly clockOffsetsMs: readonly number[] | undefined;
  /** Those whose clocks jump; with the liars they stay below a third of the stake. */
  readonly jumpers: ReadonlySet<number>;
  readonly clockJumpMsMax: number;
  readonly applicationMsMax: number;
  readonly safetyMs: number;
  /** Heights that every honest node must decide after the network has healed. */
  readonly livenessHeights: number;
  readonly epochs: EpochRules;
  /** Validators that never start. */
  readonly absent: ReadonlySet<number>;
  /** Whose operator starts a second process with the same key, from an old copy and without a record. */
  readonly staleTwin: number | undefined;
  /** Whose operator puts an old copy of the whole disk back; with the liars it stays below a third. */
  readonly restored: number | undefined;
  readonly fullDisks: readonly FullDisk[];
  /** Those whom everything reaches so much later, most until the network heals. */
  readonly slow: ReadonlySet<number>;
  readonly slowMs: number;
  /** They stay slow when everything else has healed, and the others may need them. */
  readonly staysSlow: boolean;
  readonly lateReturn: LateReturn | undefined;
  /** How long a turn of a process lasts, in which messages pile up; 0 where no liar sends that many. */
  readonly turnMs: number;
  /** Whom liars that split claims can cut off from the other honest validators. */
  readonly cutOff?: number | undefined;
  /** Whose disk is copied while it runs, and started beside it; liars leave room for it below a third. */
  readonly copied?: CopiedDisk | undefined;
  /** Where the ledger elects committees that change. */
  readonly changes?: CommitteeChanges | undefined;
}

/** A validator that comes back when others have gone on without it, and one that leaves for good at that moment. */
export interface LateReturn {
  readonly returns: number;
  readonly leaves: number;
  readonly awayFromMs: number;
}

/** The disk of a validator has no room for a while. */
interface FullDisk {
  readonly index: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface PlanOptions {
  readonly validatorsMin: number;
  readonly validatorsMax: number;
  readonly without?: ReadonlySet<FaultName>;
  /** Of those faults that few seeds have, the ones that every seed is to have: `changes` of committees, `peers` and what belongs to them, `rotation`, `outage`, `lateStart`. */
  readonly always?: ReadonlySet<FaultName>;
  readonly safetyMsMax?: number;
}

export function drawPlan(seed: number, options: PlanOptions): Plan {
  const { without = new Set<FaultName>(), safetyMsMax } = options;
  if (!splitsClaims(seed) || without.has('byzantine')) return drawMixture(seed, options);
  const calm = { ...options, without: new Set([...without, ...NOT_WHILE_SPLITTING]) };
  return withClaimSplitters(drawMixture(seed, calm), safetyMsMax) ?? drawMixture(seed, options);
}

function drawMixture(seed: number, options: PlanOptions): Plan {
  const { without = new Set<FaultName>(), safetyMsMax } = options;
  if (!copiesDisk(seed) || without.has('copiedDisk')) return drawFaultyPlan(seed, options);
  const calm = { ...options, without: new Set([...without, ...NOT_WHILE_COPYING]) };
  const plan = drawFaultyPlan(seed, calm);
  const areFew = (members: ReadonlySet<number>) => isMinority(plan.stakes, members);
  return withCopiedDisk(plan, areFew, safetyMsMax) ?? drawFaultyPlan(seed, options);
}

function drawFaultyPlan(seed: number, options: PlanOptions): Plan {
  const random = new Random(seed, 1);
  const validators = random.integer(options.validatorsMin, options.validatorsMax);
  const on = drawFaults(random, options.without ?? new Set());
  const first = drawStakes(random, validators);
  const second = drawStakes(random, validators);
  const stakes = on.has('stakeChange') ? [first, second] : [first];
  const [restored] = on.has('restoredBackup') ? drawMinority(random, stakes, new Set()) : [];
  const foolish = new Set(restored === undefined ? [] : [restored]);
  const liars = on.has('byzantine') ? drawMinority(random, stakes, foolish) : new Set<number>();
  const byzantine = withLateActors(seed, nameActors(random, liars));
  const jumpers = drawMinority(random, stakes, liars);
  const unrouted = drawUnrouted(random, validators, liars);
  const rate = (name: FaultName, high: number) => {
    const drawn = random.between(0, high);
    return on.has(name) ? drawn : 0;
  };
  const delayMeanMs = random.pick([5, 20, 60, 100, 300, 600]);
  const partition = random.pick(['symmetric', 'isolated', 'oneWay'] as const);
  const safetyMs = random.between(3_000, 14_000);
  const honest = [...Array(validators).keys()].filter((index) => !liars.has(index));
  const twin = random.pick(honest);
  const shortened = Math.min(safetyMs, options.safetyMsMax ?? safetyMs);
  const drawn: Omit<Plan, keyof LateFaults> = {
    seed,
    validators,
    stakes,
    byzantine,
    delayMsMin: 1,
    delayMeanMs,
    lossRate: rate('loss', 0.3),
    duplicationRate: rate('duplication', 0.5),
    tailRate: rate('tail', 0.05),
    clogRate: rate('clog', 0.01),
    partition: on.has('partition') ? partition : 'none',
    unrouted: on.has('unrouted') ? unrouted : new Set(),
    crashRate: rate('crash', 0.01),
    restartMsMax: random.pick([500, 4_000, 20_000]),
    syncMsMax: rate('disk', random.pick([20, 200, 2_000])),
    syncFailureRate: rate('disk', 0.01),
    clockSkewMsMax: rate('clock', 5_000),
    clockOffsetsMs: undefined,
    jumpers,
    clockJumpMsMax: on.has('clock') ? random.pick([0, 5_000, 3_600_000]) : 0,
    applicationMsMax: rate('slowApplication', 1_000),
    safetyMs: shortened,
    livenessHeights: 2,
    epochs: SHORT_EPOCHS,
    absent: new Set(),
    staleTwin: on.has('staleTwin') ? twin : undefined,
    restored,
  };
  return { ...drawn, ...drawLateFaults(drawn, options.without ?? new Set()) };
}

type LateFaults = Pick<
  Plan,
  'fullDisks' | 'slow' | 'slowMs' | 'staysSlow' | 'lateReturn' | 'turnMs'
>;

/** Operators who err otherwise have room on their disks: a record of signatures that was never written is their affair. */
function drawLateFaults(
  plan: Omit<Plan, keyof LateFaults>,
  without: ReadonlySet<FaultName>,
): LateFaults {
  const { seed, validators, stakes, safetyMs, staleTwin, restored } = plan;
  const random = new Random(seed, 9);
  const on = new Set<FaultName>();
  for (const name of LATE_FAULT_NAMES)
    if (random.chance(RATES[name] ?? RATE) && !without.has(name)) on.add(name);
  const fullDisks = [...Array(validators).keys()]
    .map((index) => {
      const fromMs = random.between(0.05, 0.9) * safetyMs;
      return { index, fromMs, untilMs: fromMs + random.between(0, 0.5) * safetyMs };
    })
    .filter(() => random.chance(FULL_DISK_RATE))
    .filter(({ index }) => index !== staleTwin && index !== restored);
  const slow = drawMinority(random, stakes, new Set());
  const slowMs = random.between(0, SLOW_MS_MAX);
  return {
    fullDisks: on.has('fullDisk') ? fullDisks : [],
    slow: on.has('slowMinority') ? slow : new Set(),
    slowMs,
    staysSlow:
      on.has('slowMinority') && new Random(seed, STAYS_SLOW_STREAM).chance(STAYS_SLOW_RATE),
    lateReturn: without.has('lateReturn') ? undefined : drawLateReturn(plan),
    turnMs: [...plan.byzantine.values()].some((name) => CROWDING_ACTORS.has(name)) ? TURN_MS : 0,
  };
}

/**
 * Each of the two and the liars stay below a third, so the chain goes on before the return and has to after it. Where
 * there are liars, there is seldom room for one more; seeds without them nearly all have a late return.
 */
function drawLateReturn({
  seed,
  stakes,
  byzantine,
  safetyMs,
  staleTwin,
  restored,
}: Omit<Plan, keyof LateFaults>): LateReturn | undefined {
  const random = new Random(seed, 10);
  const isKeyElsewhere = staleTwin !== undefined || restored !== undefined;
  if (isKeyElsewhere) return undefined;
  const liars = new Set(byzantine.keys());
  const [returns] = drawMinority(random, stakes, liars);
  const leaves = [...drawMinority(random, stakes, liars)].find((index) => index !== returns);
  const awayFromMs = random.between(0.1, 0.5) * safetyMs;
  if (returns === undefined || leaves === undefined) return undefined;
  return { returns, leaves, awayFromMs };
}

/** A Byzantine minority is nearly always there: without one there is little to defend against. */
function drawFaults(random: Random, without: ReadonlySet<FaultName>): Set<FaultName> {
  const on = new Set<FaultName>();
  for (const name of EARLY_FAULT_NAMES) {
    const drawn = random.chance(RATES[name] ?? RATE);
    if (drawn && !without.has(name)) on.add(name);
  }
  return on;
}

/** In a few seeds all liars are of one of the kinds that came later. */
function withLateActors(seed: number, named: Map<number, ActorName>): Map<number, ActorName> {
  const late = new Random(seed, LATE_ACTORS_STREAM);
  const noisy = new Random(seed, NOISY_ACTORS_STREAM);
  const names: ActorName[] = [];
  if (late.chance(LATE_ACTORS_RATE)) names.push(late.pick(LATE_ACTOR_NAMES));
  if (noisy.chance(NOISY_ACTORS_RATE)) names.push(noisy.pick(NOISY_ACTOR_NAMES));
  const [name] = names;
  if (name === undefined) return named;
  return new Map([...named.keys()].map((index) => [index, name]));
}

/** At most half, and never every honest one: honest validators are to reach each other somehow. */
function drawUnrouted(
  random: Random,
  validators: number,
  liars: ReadonlySet<number>,
): ReadonlySet<number> {
  const order = random.shuffled([...Array(validators).keys()]);
  const reachable = order.findLast((index) => !liars.has(index));
  const count = random.integer(1, Math.max(1, validators >> 1));
  return new Set(order.slice(0, count).filter((index) => index !== reachable));
}

function drawStakes(random: Random, validators: number): bigint[] {
  const high = random.pick([1, 3, 10]);
  return Array.from({ length: validators }, () => BigInt(random.integer(1, high)));
}

/** Validators in random order as long as they and the others stay below a third in every epoch. */
export function drawMinority(
  random: Random,
  stakes: readonly (readonly bigint[])[],
  others: ReadonlySet<number>,
): Set<number> {
  const chosen = new Set<number>();
  const indexes = [...(stakes[0] as readonly bigint[]).keys()];
  for (const index of random.shuffled(indexes)) {
    const together = new Set([...others, ...chosen, index]);
    if (isMinority(stakes, together) && !others.has(index)) chosen.add(index);
  }
  return chosen;
}

/** Whether validators stay below a third in every epoch. */
function isMinority(stakes: readonly (readonly bigint[])[], members: ReadonlySet<number>): boolean {
  return stakes.every((epoch) => {
    const stake = [...members].reduce((sum, at) => sum + (epoch[at] as bigint), 0n);
    return 3n * stake < epoch.reduce((sum, one) => sum + one, 0n);
  });
}

function nameActors(random: Random, liars: ReadonlySet<number>): Map<number, ActorName> {
  const all = random.pick(ACTOR_NAMES);
  const isMixed = random.chance(0.3);
  return new Map([...liars].map((index) => [index, isMixed ? random.pick(ACTOR_NAMES) : all]));
}

/** Something that the operator of a validator sends once the chain is so high. */
interface PlannedStep {
  readonly validator: number;
  readonly fromHeight: number;
}

interface PlannedJoin extends PlannedStep {
  /** In units of the bonds of the genesis. */
  readonly stake: bigint;
}

/** A process that does not run for a while. */
interface Absence {
  readonly validator: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface CommitteeChanges {
  /** Validators of the genesis; those with higher numbers join. */
  readonly founders: number;
  readonly joins: readonly PlannedJoin[];
  readonly exits: readonly PlannedStep[];
  readonly rotations: readonly PlannedStep[];
  readonly absences: readonly Absence[];
  /** Liars are honest below this height: many offences are to be of the last cut of an epoch. */
  readonly liesFromHeight: number;
}
