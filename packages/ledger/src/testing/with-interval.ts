/**
 * The parameters of a network with intervals of another length, for tests that have no time for its own. Cuts pay stake in as
 * much larger portions as there are fewer of them in an interval, so that paying still fits.
 */
import type { LedgerParameters } from '../parameters.ts';

export function withInterval(parameters: LedgerParameters, interval: number): LedgerParameters {
  const portion = (count: number): number => Math.ceil((count * parameters.interval) / interval);
  return {
    ...parameters,
    interval,
    stakePayoutsPerCut: portion(parameters.stakePayoutsPerCut),
    stakeVisitsPerCut: portion(parameters.stakeVisitsPerCut),
  };
}
