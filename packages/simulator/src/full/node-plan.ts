/**
 * What a seed decides about full nodes, beyond what it decides about a committee: whether all lose power at one
 * moment, who never comes back, whose disk is lost, who keeps blocks to itself, what miners do, how much room pools have.
 */
import { Random } from '../base/random.ts';
import type { FaultName, NodeFaultName, Plan, PlanOptions } from '../plan/plan.ts';
import { drawMinority, drawPlan, NODE_FAULT_NAMES } from '../plan/plan.ts';
import { drawLateStart, type LateStarts } from './late-start/late-start-plan.ts';
import { drawOutage, type OutagePlan, type PowerCut } from './outage/outage-plan.ts';
import { drawPeerPlan, type PeerPlan } from './peers/peer-plan.ts';
import { drawRotation, type RotationPlan } from './rotation/rotation-plan.ts';

export interface NodePlan extends Plan {
  readonly powerCut: PowerCut | undefined;
  /** Those who never come back after the power cut, or after a moment of their own if there is none. */
  readonly gone: ReadonlySet<number>;
  /** Those who come back from the power cut with an empty disk. */
  readonly diskLost: ReadonlySet<number>;
  /** Those who propose blocks that nobody else was given, and give them to few or none of those who ask. */
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
  // Short epochs jail whoever does not sign, and then others are needed.
  if (hasShortEpochs) return { ...drawn, ...epochs, clocksStayWrong: false };
  if (lateStart === undefined) return drawn;
  // The chain hurries after a late start, and an observer whose disk takes seconds for a cut falls behind for longer than is checked.
  return { ...drawn, ...lateStart, peers: drawn.peers && { ...drawn.peers, lagMs: 0 } };
}

/** Where somebody may be missing for another reason, those whose clocks are wrong are needed too. */
function drawWrongClocks(
  { seed, clockJumpMsMax }: Plan,
  { gone, diskLost, withholders }: MinorityRoles,
): boolean {
  const isAnybodyMissing = gone.size + diskLost.size + withholders.size > 0;
  const isDrawn = new Random(seed, CLOCKS_STAY_WRONG_STREAM).chance(CLOCKS_STAY_WRONG_RATE);
  return isDrawn && clockJumpMsMax > 0 && !isAnybodyMissing;
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
