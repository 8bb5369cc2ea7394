/**
 * For each mutant a seed that kills it; of those of the finality level with 3 to 10 validators. A test that finds its
 * seed stale fails with the one to record instead.
 */
import type { NodePlan } from '../src/plan/node-plan.ts';
import {
  EPOCH_FAULT_NAMES,
  FAULT_NAMES,
  type FaultName,
  FIRST_START_FAULT_NAMES,
  NODE_FAULT_NAMES,
  PEST_NAMES,
  type PlanOptions,
} from '../src/plan/plan.ts';

export const KILLERS: Readonly<Record<string, number>> = {
  noLockCheck: 28,
  noLockSet: 28,
  halfQuorum: 1,
  line29Dropped: 98,
  polkaNotChecked: 98,
  invalidPrevoted: 13,
  timerNotCancelled: 2,
  skipByHeads: 28,
  roundsStayShort: 984,
  syncSkipped: 1,
  logNotSynced: 1,
  fullDiskIgnored: 96,
  signBeforeSync: 1,
  lockNotPersisted: 138,
  noPolkaCertificate: 20,
  signersCountedTwice: 32,
  signaturesNotChecked: 25,
  bitmapNotChecked: 96,
  evidenceTwice: 18,
  windowOffByOne: 1,
  wrongSetAtBoundary: 37,
  timeNotChecked: 120,
  silenceFromStart: 160,
  deafToOwnKey: 35,
  restoredAndReady: 555,
  headersNotCompared: 292,
  signsAtStart: 168,
  listensTwoCuts: 7236,
  startIgnored: 1066,
  silenceNeverMadeUp: 506,
  noVoteReports: 18,
  certificatesNotCompared: 889,
  failuresForgotten: 27,
  votesForgotten: 1686,
  latePrecommitsUnbounded: 10,
  farVotesUnbounded: 250,
  sendersShareOneLine: 192,
  originBelieved: 175,
  questionsFree: 56,
  latePrecommitsIgnored: 5,
  evidenceTooOldAtOnce: 18,
  lateRoundsAsTheyCome: 480,
  claimedRoundsRefused: 480,
};

/** Of level ledger, with 4 or 5 validators of the genesis and committees that change. */
export const COMMITTEE_KILLERS: Readonly<Record<string, number>> = {
  oldSetAtBoundary: 1,
  oldOffenceByNewSet: 9,
  seatKeysKept: 1,
  nextKeyTrusted: 7,
  silenceWithoutSeat: 35,
};

/** How a mutant of whole nodes is hunted: with few validators and the faults that bring it out. */
export interface NodeHunt {
  /** The first seed that kills it. */
  readonly seed: number;
  readonly options: PlanOptions;
  /** The checker that finds it out. */
  readonly checker: string;
  /** Whether a plan has what it takes; other seeds are passed over. */
  readonly isPromising: (plan: NodePlan) => boolean;
}

const POOL_FAULTS = ['splitBodies', 'tightPools', 'spentBudgets'] as const;
const PEER_FAULTS = ['peers'] as const;
/** Every height of the three epochs of a rotation costs time, so two validators without faults hunt there. */
const ROTATION: PlanOptions = {
  validatorsMin: 2,
  validatorsMax: 2,
  always: new Set(['peers', 'rotation']),
  without: new Set([
    ...FAULT_NAMES,
    ...NODE_FAULT_NAMES,
    ...PEST_NAMES,
    'laggingPeers',
    'lyingPeers',
  ]),
};
/** Three epochs of 24 cuts follow an outage, so few validators without other faults hunt there. */
const OUTAGE: PlanOptions = {
  ...ROTATION,
  always: new Set(['peers', 'outage']),
};
const LATE_START: PlanOptions = {
  validatorsMin: 3,
  validatorsMax: 3,
  always: new Set(['lateStart']),
  without: new Set([...FAULT_NAMES, ...NODE_FAULT_NAMES, 'peers']),
};
const POWER_FAULTS = ['powerCut', 'goneForEver', 'diskLost', 'withholding'] as const;

function committee(most: number, without: readonly FaultName[]): PlanOptions {
  const others = [...without, 'clock', ...PEST_NAMES] as const;
  return { validatorsMin: 4, validatorsMax: most, without: new Set(others) };
}

/** Four validators with peers and nothing else but what is named. */
function calm(...faults: readonly FaultName[]): PlanOptions {
  const others = [
    ...FAULT_NAMES,
    ...NODE_FAULT_NAMES,
    ...PEST_NAMES,
    ...EPOCH_FAULT_NAMES,
    ...FIRST_START_FAULT_NAMES,
    'laggingPeers',
    'lyingPeers',
  ] as const;
  const without = new Set(others.filter((name) => !faults.includes(name)));
  const always = new Set<FaultName>(['peers', ...faults.filter((name) => name !== 'clock')]);
  return { validatorsMin: 4, validatorsMax: 4, without, always };
}

export const NODE_HUNTS: Readonly<Record<string, NodeHunt>> = {
  oneBlockForABody: {
    seed: 55,
    checker: 'liveness',
    options: committee(4, ['tightPools', 'spentBudgets', ...POWER_FAULTS, ...PEER_FAULTS]),
    isPromising: ({ splitsBodies }) => splitsBodies,
  },
  proposalsThroughPool: {
    seed: 7,
    checker: 'liveness',
    options: committee(4, ['splitBodies', 'spentBudgets', ...POWER_FAULTS, ...PEER_FAULTS]),
    isPromising: ({ poolBlocksMax }) => poolBlocksMax !== undefined,
  },
  proposalBlocksForgotten: {
    seed: 249,
    checker: 'liveness',
    options: committee(4, [...POOL_FAULTS, 'diskLost', ...PEER_FAULTS]),
    isPromising: ({ powerCut, gone, withholders }) =>
      powerCut !== undefined && [...withholders].some((index) => gone.has(index)),
  },
  refusalsRemembered: {
    seed: 73,
    checker: 'transactions',
    options: committee(4, []),
    isPromising: ({ peers }) => peers?.isStar === true,
  },
  claimsDeafen: {
    seed: 13,
    checker: 'arrivals',
    options: committee(4, []),
    isPromising: ({ peers }) => (peers?.liars ?? 0) > 0,
  },
  claimsBelieved: {
    seed: 14,
    checker: 'signsAgain',
    options: committee(4, []),
    isPromising: ({ peers }) => (peers?.liars ?? 0) > 0,
  },
  visitsFree: {
    seed: 4,
    checker: 'signsAgain',
    options: { ...committee(4, ['rotation']), always: new Set(['peers', 'lyingPeers']) },
    isPromising: ({ peers }) => peers?.areLiarsFlitting === true,
  },
  firstSourceOnly: {
    seed: 2,
    checker: 'arrivals',
    options: calm('silentPeers'),
    isPromising: ({ peers }) => (peers?.pests.announcers ?? 0) > 0,
  },
  originsForgotten: {
    seed: 4,
    checker: 'arrivals',
    options: {
      validatorsMin: 4,
      validatorsMax: 4,
      without: new Set([
        ...EPOCH_FAULT_NAMES,
        'lateStart',
        'clock',
        'floodingPeers',
        'silentPeers',
      ]),
      always: new Set(['peers', 'reopeningPeers']),
    },
    isPromising: ({ peers }) => (peers?.pests.askers ?? 0) > 0,
  },
  noPatience: {
    seed: 2,
    checker: 'peersKept',
    options: calm('lyingPeers', 'laggingPeers'),
    isPromising: ({ peers }) => (peers?.liars ?? 0) > 0,
  },
  waitsByWallClock: {
    seed: 5,
    checker: 'transactions',
    options: calm('clock', 'laggingPeers'),
    isPromising: ({ clockJumpMsMax, jumpers }) => clockJumpMsMax > 5_000 && jumpers.size > 0,
  },
  lateStartSilent: {
    seed: 1,
    checker: 'liveness',
    options: LATE_START,
    isPromising: ({ lateStarts }) => lateStarts.size > 0,
  },
  keySwitchesLate: {
    seed: 1,
    checker: 'rotation',
    options: ROTATION,
    isPromising: ({ rotation }) => rotation !== undefined,
  },
  nextKeySilent: {
    seed: 1,
    checker: 'rotation',
    options: ROTATION,
    isPromising: ({ rotation }) => rotation !== undefined,
  },
  oldKeyStays: {
    seed: 1,
    checker: 'rotation',
    options: ROTATION,
    isPromising: ({ rotation }) => rotation !== undefined,
  },
  heartbeatsOfOldKey: {
    seed: 1,
    checker: 'heartbeats',
    options: ROTATION,
    isPromising: ({ rotation }) => rotation !== undefined,
  },
  outageMadeGoodAtAnyPace: {
    seed: 1,
    checker: 'lapses',
    options: OUTAGE,
    isPromising: ({ outage }) => outage !== undefined,
  },
};
