/** Runs drawn from a seed: a small one for tests, and one of any size. */
import { COIN } from '../testing/test-chain.ts';
import { Random } from './random.ts';
import { type StakeCounts, StakeRun, StakeViolation } from './stake-run.ts';

export interface RunResult {
  readonly counts: StakeCounts;
  readonly failure: StakeViolation | undefined;
}

/** Payments of a cut that suffice for all coins of a small run, in positions of the minimum. */
const SMALL_PAYOUTS = 208;

export function runSmall(seed: number): RunResult {
  const random = new Random(seed ^ 0x5eed);
  const plan = {
    seed,
    interval: 12,
    epochs: 16,
    positionMin: 20_000n * COIN,
    delegations: random.between(5, 60),
    dust: random.chance(50) ? random.between(500, 4_000) : 0,
  };
  return resultOf(
    new StakeRun(plan, {
      stakePayoutsPerCut: SMALL_PAYOUTS,
      stakeVisitsPerCut: 4 * SMALL_PAYOUTS,
    }),
  );
}

/** A run over about so many positions, of 100 to 150 coins each; each interval takes several cuts to pay. */
export function runLarge(seed: number, positions: number): RunResult {
  const plan = {
    seed,
    interval: 12,
    epochs: 15,
    positionMin: 100n * COIN,
    delegations: Math.ceil(positions / 14),
    dust: Math.ceil(positions / 20),
  };
  const stakePayoutsPerCut = Math.ceil(positions / 6);
  return resultOf(
    new StakeRun(plan, { stakePayoutsPerCut, stakeVisitsPerCut: 4 * stakePayoutsPerCut }),
  );
}

function resultOf(run: StakeRun): RunResult {
  try {
    return { counts: run.run().counts, failure: undefined };
  } catch (error) {
    if (!(error instanceof StakeViolation)) throw error;
    return { counts: run.counts, failure: error };
  }
}
