/**
 * For each mutant the first seed that kills it; of those of the finality level with 3 to 10 validators.
 */
import type { NodePlan } from '../src/full/node-plan.ts';
import type { FaultName, PlanOptions } from '../src/plan/plan.ts';

export const KILLERS: Readonly<Record<string, number>> = {
  noLockCheck: 29,
  noLockSet: 29,
  halfQuorum: 2,
  line29Dropped: 29,
  polkaNotChecked: 139,
  invalidPrevoted: 47,
  timerNotCancelled: 3,
  skipByHeads: 28,
  syncSkipped: 1,
  logNotSynced: 1,
  signBeforeSync: 1,
  lockNotPersisted: 29,
  noPolkaCertificate: 20,
  signersCountedTwice: 32,
  signaturesNotChecked: 32,
  bitmapNotChecked: 47,
  evidenceTwice: 6,
  windowOffByOne: 1,
  wrongSetAtBoundary: 40,
  timeNotChecked: 120,
  silenceFromStart: 1944,
  deafToOwnKey: 35,
  restoredAndReady: 2771,
};

/** How a mutant of whole nodes is hunted: with few validators and the faults that bring it out. */
export interface NodeHunt {
  /** The first seed that kills it. */
  readonly seed: number;
  readonly options: PlanOptions;
  /** Whether a plan has what it takes; other seeds are passed over. */
  readonly isPromising: (plan: NodePlan) => boolean;
}

const POOL_FAULTS = ['splitBodies', 'tightPools', 'spentBudgets'] as const;
const POWER_FAULTS = ['powerCut', 'goneForEver', 'diskLost', 'withholding'] as const;

function committee(most: number, without: readonly FaultName[]): PlanOptions {
  return { validatorsMin: 4, validatorsMax: most, without: new Set(without) };
}

export const NODE_HUNTS: Readonly<Record<string, NodeHunt>> = {
  oneBlockForABody: {
    seed: 55,
    options: committee(4, ['tightPools', 'spentBudgets', ...POWER_FAULTS]),
    isPromising: ({ splitsBodies }) => splitsBodies,
  },
  proposalsThroughPool: {
    seed: 3,
    options: committee(4, ['splitBodies', 'spentBudgets', ...POWER_FAULTS]),
    isPromising: ({ poolBlocksMax }) => poolBlocksMax !== undefined,
  },
  previousNotLogged: {
    seed: 196,
    options: committee(7, [...POOL_FAULTS, 'withholding', 'diskLost']),
    isPromising: ({ powerCut, gone }) => powerCut !== undefined && gone.size > 0,
  },
  proposalBlocksForgotten: {
    seed: 249,
    options: committee(4, [...POOL_FAULTS, 'diskLost']),
    isPromising: ({ powerCut, gone, withholders }) =>
      powerCut !== undefined && [...withholders].some((index) => gone.has(index)),
  },
};
