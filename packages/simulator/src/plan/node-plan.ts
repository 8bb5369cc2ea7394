/**
 * What a seed decides about whole nodes, beyond what it decides about a committee.
 *
 * Late start: some or all validators start for the first time when the genesis is past; the others cannot decide without them.
 * Outage: all processes are down at once; afterwards cuts follow each other quickly, epochs are short, and checking a proof of
 * work takes a part of the time between two cuts. Rotation: a validator that every cut needs rotates its key. Peers: mempool,
 * relay and sync, with peers that lag, lie, flood or fall silent.
 */
import { Random } from '../base/random.ts';
import {
  drawMinority,
  drawPlan,
  type FaultName,
  NODE_FAULT_NAMES,
  type NodeFaultName,
  PEER_FAULT_NAMES,
  PEST_NAMES,
  type PeerFaultName,
  type PestName,
  type Plan,
  type PlanOptions,
} from './plan.ts';

/** When each of those who are late starts for the first time. */
type LateStarts = ReadonlyMap<number, number>;

const LATE_START_STREAM = 27;
/** Of seeds, with or without peers, whose epochs are not short. */
const LATE_START_RATE = 0.04;
const ALL_LATE_RATE = 0.5;
/** Beyond ten minutes a chain gives up to make its lateness good. */
const ALL_LATE_MS_MAX = 900_000;
/** Those who are on time wait in round after round for the others. */
const SOME_LATE_MS_MIN = 3_000;
const SOME_LATE_MS_MAX = 60_000;
/** Between the starts of those who come together. */
const SPREAD_MS_MAX = 15_000;

/** What a late first start changes in a plan, if there is one; faults go on as long as without it once all have started. */
function drawLateStart(
  { seed, stakes, safetyMs }: Pick<Plan, 'seed' | 'stakes' | 'safetyMs'>,
  isForced: boolean,
) {
  const random = new Random(seed, LATE_START_STREAM);
  const isOn = random.chance(LATE_START_RATE) || isForced;
  if (!isOn) return undefined;
  const [first = []] = stakes;
  const areAllLate = random.chance(ALL_LATE_RATE);
  const late = areAllLate ? [...first.keys()] : drawBlocking(random, first);
  const begin = areAllLate
    ? random.between(0, ALL_LATE_MS_MAX)
    : random.between(SOME_LATE_MS_MIN, SOME_LATE_MS_MAX);
  const spread = random.between(0, SPREAD_MS_MAX);
  const lateStarts = new Map(late.map((index) => [index, begin + random.between(0, spread)]));
  return { lateStarts, safetyMs: begin + spread + safetyMs };
}

/** Validators in random order until they have more than a third of the stake: no cut is decided without them. */
function drawBlocking(random: Random, stakes: readonly bigint[]): number[] {
  const total = stakes.reduce((sum, stake) => sum + stake, 0n);
  const chosen: number[] = [];
  let stake = 0n;
  for (const index of random.shuffled([...stakes.keys()])) {
    if (3n * stake > total) break;
    chosen.push(index);
    stake += stakes[index] as bigint;
  }
  return chosen;
}

/** Power goes at the moment when so many precommits for a cut have been signed at this height. */
interface PowerCut {
  readonly height: number;
  readonly precommits: number;
}

export interface OutagePlan {
  /** How long a process is busy with one block and with one cut. */
  readonly proofMs: number;
  readonly cutMs: number;
  /** Between the power cut and the first process that starts again. */
  readonly awayMs: number;
  readonly paceMs: number;
}

/** Of seeds with peers: three epochs follow the outage, which take a multiple of the time of other seeds. */
const OUTAGE_RATE = 0.02;
/** The debt of the shortest lasts for all epochs that are looked at. */
const AWAY_MS_MIN = 20_000;
const AWAY_MS_MAX = 60_000;
const OUTAGE_PACE_MS = 200;
/** Of messages: all processes are on one machine. */
const DELAY_MEAN_MS_MAX = 10;
/** Miners find one block in a cut on average: at its pace a process is busy for at most 95 % of the time. */
const PROOF_MS_MIN = 30;
const PROOF_MS_MAX = 50;
const CUT_MS_MIN = 110;
const CUT_MS_MAX = 140;
const POWER_CUT: PowerCut = { height: 4, precommits: 1 };
/** The power cut comes before, and all processes are back after so long. */
const AROUND_MS = 6_000;

/** What an outage changes in a plan with peers, if there is one. */
function drawOutage({ seed }: Pick<Plan, 'seed'>, isForced: boolean) {
  const random = new Random(seed, 15);
  const isOn = random.chance(OUTAGE_RATE) || isForced;
  const awayMs = random.between(AWAY_MS_MIN, AWAY_MS_MAX);
  const proofMs = random.between(PROOF_MS_MIN, PROOF_MS_MAX);
  const cutMs = random.between(CUT_MS_MIN, CUT_MS_MAX);
  const delayMeanMs = random.between(0, DELAY_MEAN_MS_MAX);
  if (!isOn) return undefined;
  return {
    outage: { awayMs, paceMs: OUTAGE_PACE_MS, proofMs, cutMs },
    powerCut: POWER_CUT,
    delayMsMin: 0,
    delayMeanMs,
    safetyMs: awayMs + AROUND_MS,
  };
}

export interface RotationPlan {
  readonly validator: number;
  /** When the operator sends the transaction. */
  readonly fromMs: number;
}

/** Of seeds with peers: a rotation spans three epochs, which take a multiple of the time of other seeds. */
const ROTATION_RATE = 0.05;
const FROM_MS_MAX = 6_000;
/** Some networks heal before the key changes, and some after. */
const ROTATION_MS_MIN = 20_000;
const ROTATION_MS_MAX = 80_000;

/** What a rotation changes in a plan with peers, if there is one. */
function drawRotation(plan: NodePlan, isForced: boolean) {
  const random = new Random(plan.seed, 13);
  const isOn = random.chance(ROTATION_RATE) || isForced;
  const { gone, diskLost, withholders, validators, stakes } = plan;
  const failing = new Set([...gone, ...diskLost, ...withholders]);
  const [first = []] = stakes;
  const possible = [...Array(validators).keys()].filter((index) => !failing.has(index));
  const validator = random.pick(possible);
  const fromMs = random.between(0, FROM_MS_MAX);
  const safetyMs = random.between(ROTATION_MS_MIN, ROTATION_MS_MAX);
  const sum = (indexes: Iterable<number>) =>
    [...indexes].reduce((total, index) => total + (first[index] as bigint), 0n);
  const others = sum(first.keys()) - (first[validator] as bigint);
  // Members that lapse or are jailed leave the committee; those that fail stay below a third of what is left of it.
  if (!isOn || 2n * sum(failing) >= others) return undefined;
  const withVeto = first.map((stake, index) => (index === validator ? others : stake));
  return { stakes: [withVeto], safetyMs, rotation: { validator, fromMs } };
}

export interface PeerPlan {
  /** Nodes that sign nothing and follow the chain by sync alone. */
  readonly observers: number;
  /** In a star the validators know each other as peers only through the first observer; else each knows two. */
  readonly isStar: boolean;
  /** How long the disks of observers take for a cut. */
  readonly lagMs: number;
  /** Peers of each node that claim heights and prove none. */
  readonly liars: number;
  readonly liarsFromMs: number;
  /** Whether there is one liar for each node, who comes for moments, again and again. */
  readonly areLiarsFlitting: boolean;
  /** The validator whose node the miner asks for work. */
  readonly miner: number;
  readonly pests: PestPlan;
}

/** For each node, how many peers cost it something without claiming anything. */
interface PestPlan {
  /** Announce what does not exist. */
  readonly flooders: number;
  /** Announce first what others have, and answer nothing. */
  readonly announcers: number;
  /** Ask for more than a node can send, from one range of addresses. */
  readonly askers: number;
  /** What nodes send in answers at most, where a peer asks for too much; else 0, which is no limit. */
  readonly uploadBytesPerSecond: number;
}

/** Seeds with peers cost twice the time of others. */
const PEERS_RATE = 0.15;
const LAG_MS_MAX = 4_000;
const LIARS_MAX = 4;
/** Drawn apart, so that other seeds stay what they are. */
const FLITTING_RATE = 0.25;
/** Of seeds with peers; a flood costs much of a simulation's time. */
const PEST_RATES: Readonly<Record<PestName, number>> = {
  floodingPeers: 0.1,
  silentPeers: 0.25,
  reopeningPeers: 0.2,
};
const PEST_STREAM = 30;
const FLOODERS_MAX = 3;
const ANNOUNCERS_MAX = 3;
const ASKERS_MIN = 12;
const ASKERS_MAX = 16;
/** Several times what a node that follows needs, and too little for one of many that share it. */
const UPLOAD_BYTES_PER_SECOND = 65_536;
/** When the first start is over; liars would only delay it. */
const LIARS_FROM_MS_MIN = 1_500;
const LIARS_FROM_MS_MAX = 6_000;

function drawPeerPlan(
  seed: number,
  validators: number,
  options: PlanOptions,
): PeerPlan | undefined {
  const { without, always } = options;
  const random = new Random(seed, 11);
  const on = new Set<PeerFaultName>();
  for (const name of PEER_FAULT_NAMES)
    if (random.chance(name === 'peers' ? PEERS_RATE : 0.5) || always?.has(name) === true)
      if (without?.has(name) !== true) on.add(name);
  const lagMs = random.between(0, LAG_MS_MAX);
  const liars = random.integer(2, LIARS_MAX);
  const liarsFromMs = random.between(LIARS_FROM_MS_MIN, LIARS_FROM_MS_MAX);
  const miner = random.integer(0, validators - 1);
  const isStar = on.has('laggingPeers') && random.chance(0.7);
  // One is enough: several would use up in a short time what claims may cost.
  const areLiarsFlitting = new Random(seed, 14).chance(FLITTING_RATE);
  if (!on.has('peers')) return undefined;
  const pests = drawPests(seed, options);
  // A node that follows by sync alone shows whether answers come; a slow disk would hide it.
  const isAsked = pests.askers > 0;
  return {
    observers: on.has('laggingPeers') || isAsked ? 1 : 0,
    isStar,
    lagMs: isAsked ? 0 : lagMs,
    liars: on.has('lyingPeers') ? (areLiarsFlitting ? 1 : liars) : 0,
    liarsFromMs,
    areLiarsFlitting,
    miner,
    pests,
  };
}

function drawPests(seed: number, { without, always }: PlanOptions): PestPlan {
  const random = new Random(seed, PEST_STREAM);
  const on = new Set<PestName>();
  for (const name of PEST_NAMES)
    if (random.chance(PEST_RATES[name]) || always?.has(name) === true)
      if (without?.has(name) !== true) on.add(name);
  const flooders = random.integer(2, FLOODERS_MAX);
  const announcers = random.integer(1, ANNOUNCERS_MAX);
  const askers = random.integer(ASKERS_MIN, ASKERS_MAX);
  return {
    flooders: on.has('floodingPeers') ? flooders : 0,
    announcers: on.has('silentPeers') ? announcers : 0,
    askers: on.has('reopeningPeers') ? askers : 0,
    uploadBytesPerSecond: on.has('reopeningPeers') ? UPLOAD_BYTES_PER_SECOND : 0,
  };
}

export interface NodePlan extends Plan {
  readonly powerCut: PowerCut | undefined;
  /** Those who never come back after the power cut, or after a moment of their own if there is none. */
  readonly gone: ReadonlySet<number>;
  /** Those who come back from the power cut with an empty disk. */
  readonly diskLost: ReadonlySet<number>;
  /** Those who propose blocks that no other node was given, and give them to few or none of those who ask. */
  readonly withholders: ReadonlySet<number>;
  /** Miners prove some bodies twice, and give one proof to some nodes and the other to the rest. */
  readonly splitsBodies: boolean;
  readonly poolBlocksMax: number | undefined;
  /** Strangers have spent what a pool allows for hashes that come to nothing. */
  readonly budgetsAreSpent: boolean;
  /** Nodes have a mempool, relay and sync; undefined in seeds without. */
  readonly peers: PeerPlan | undefined;
  /** A validator rotates its consensus key, and all send heartbeats. */
  readonly rotation: RotationPlan | undefined;
  /** All processes are down at once for long, and the chain catches up with its clock. */
  readonly outage: OutagePlan | undefined;
  /** Those who start for the first time when the genesis is past; empty in most seeds. */
  readonly lateStarts: LateStarts;
  /** Clocks that jump go on doing so when everything else has healed: the others decide without those. */
  readonly clocksStayWrong: boolean;
}

type MinorityRoles = Pick<NodePlan, 'gone' | 'diskLost' | 'withholders'>;

const LIVENESS_HEIGHTS = 3;
/** The first cut names no signers of a cut before it, so a power cut in it finds less. */
const POWER_CUT_HEIGHTS = [2, 2, 3, 3, 4] as const;
/** Long enough for the height of the power cut to begin. */
const SAFETY_MS_MIN = 9_000;
const SLOW_MS_MAX = 2_500;
const TIGHT_BLOCKS_MAX = 3;
/** What full nodes do not have yet: liars among the messages, changing stakes. */
const NOT_SIMULATED = [
  'stakeChange',
  'byzantine',
  'slowApplication',
  'disk',
  'fullDisk',
  'lateReturn',
  'copiedDisk',
] as const;
/** Of seeds with clocks that jump and a minority that has nothing else. */
const CLOCKS_STAY_WRONG_RATE = 0.5;
const CLOCKS_STAY_WRONG_STREAM = 28;
const MINORITY_ROLES = ['goneForEver', 'diskLost', 'withholding'] as const;

export function drawNodePlan(seed: number, options: PlanOptions): NodePlan {
  const without = new Set([...(options.without ?? []), ...NOT_SIMULATED]);
  const plan = drawPlan(seed, { ...options, without });
  const random = new Random(seed, 7);
  const on = new Set<NodeFaultName>();
  for (const name of NODE_FAULT_NAMES) if (random.chance(0.5) && !without.has(name)) on.add(name);
  const powerCut = {
    height: random.pick(POWER_CUT_HEIGHTS),
    precommits: random.integer(1, plan.validators),
  };
  const roles = drawRoles(random, plan, on);
  const slow = drawMinority(random, plan.stakes, new Set());
  const slowMs = random.between(0, SLOW_MS_MAX);
  const poolBlocksMax = random.integer(1, TIGHT_BLOCKS_MAX);
  const peers = drawPeerPlan(seed, plan.validators, { ...options, without });
  // Pools that stay full and budgets that stay spent would keep the miner's own blocks out, and payments with them.
  const isPoolTried = peers === undefined;
  const drawn: NodePlan = {
    ...plan,
    livenessHeights: LIVENESS_HEIGHTS,
    powerCut: on.has('powerCut') ? powerCut : undefined,
    ...roles,
    // Validators without a route need others that stay to pass their messages on.
    unrouted: roles.gone.size > 0 ? new Set() : plan.unrouted,
    splitsBodies: on.has('splitBodies'),
    poolBlocksMax: isPoolTried && on.has('tightPools') ? poolBlocksMax : undefined,
    slow: on.has('slowMinority') ? slow : new Set(),
    slowMs,
    safetyMs: Math.min(
      Math.max(plan.safetyMs, SAFETY_MS_MIN),
      options.safetyMsMax ?? plan.safetyMs + SAFETY_MS_MIN,
    ),
    budgetsAreSpent: isPoolTried && on.has('spentBudgets'),
    peers,
    rotation: undefined,
    outage: undefined,
    lateStarts: new Map(),
    clocksStayWrong: drawWrongClocks(plan, roles),
  };
  const epochs = peers === undefined ? {} : drawEpochs(drawn, options);
  const hasShortEpochs = epochs.rotation !== undefined || epochs.outage !== undefined;
  const isPossible = !hasShortEpochs && options.without?.has('lateStart') !== true;
  const isForced = options.always?.has('lateStart') === true;
  const lateStart = isPossible ? drawLateStart(drawn, isForced) : undefined;
  // Short epochs jail validators that do not sign, and then others are needed.
  if (hasShortEpochs) return { ...drawn, ...epochs, clocksStayWrong: false };
  if (lateStart === undefined) return drawn;
  // The chain hurries after a late start, and an observer whose disk takes seconds for a cut falls behind for longer than is checked.
  return { ...drawn, ...lateStart, peers: drawn.peers && { ...drawn.peers, lagMs: 0 } };
}

/** Where a validator may be missing for another reason, those whose clocks are wrong are needed too. */
function drawWrongClocks(
  { seed, clockJumpMsMax }: Plan,
  { gone, diskLost, withholders }: MinorityRoles,
): boolean {
  const isAnyMissing = gone.size + diskLost.size + withholders.size > 0;
  const isDrawn = new Random(seed, CLOCKS_STAY_WRONG_STREAM).chance(CLOCKS_STAY_WRONG_RATE);
  return isDrawn && clockJumpMsMax > 0 && !isAnyMissing;
}

/** Epochs are short for one reason at a time. */
function drawEpochs(plan: NodePlan, { without, always }: PlanOptions): Partial<NodePlan> {
  const isForced = (name: FaultName) => always?.has(name) === true;
  const isPossible = (name: FaultName) => without?.has(name) !== true;
  const rotation = isPossible('rotation') ? drawRotation(plan, isForced('rotation')) : undefined;
  if (rotation !== undefined || !isPossible('outage')) return rotation ?? {};
  const outage = drawOutage(plan, isForced('outage'));
  if (outage === undefined) return {};
  // A node that follows by sync alone, a second after the cut, never catches up with cuts that come several times in a
  // second: neither an observer nor a validator that restarts beside the others.
  const peers = plan.peers && { ...plan.peers, observers: 0, isStar: false };
  return { ...outage, peers, crashRate: 0 };
}

/** Who departs from what an honest validator with a disk does stays below a third of the stake. */
function drawRoles(random: Random, plan: Plan, on: ReadonlySet<NodeFaultName>): MinorityRoles {
  const minority = drawMinority(random, plan.stakes, new Set());
  const possible = MINORITY_ROLES.filter((name) => on.has(name));
  const roles = new Map([...minority].map((index) => [index, random.pick(possible)]));
  const having = (role: (typeof MINORITY_ROLES)[number]) =>
    new Set([...roles].filter(([, given]) => given === role).map(([index]) => index));
  const withholders = having('withholding');
  const leaving = on.has('goneForEver') ? [...withholders].filter(() => random.chance(0.5)) : [];
  const gone = new Set([...having('goneForEver'), ...leaving]);
  return { gone, diskLost: having('diskLost'), withholders };
}
