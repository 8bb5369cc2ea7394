/**
 * The emission document: what the next cut issues, what the interval issues, and when it falls.
 */
import {
  EMISSION_TOTAL,
  epochEnd,
  epochOf,
  epochStart,
  GENESIS_SUPPLY,
  type LedgerParameters,
} from '../parameters.ts';
import type { EconomyRecord } from '../records.ts';
import { nextEmission, subsidyOf } from '../rules/emission.ts';

export interface EmissionDocument {
  readonly epoch: number;
  /** The subsidy of the next cut. */
  readonly subsidy: bigint;
  readonly intervalAmount: bigint;
  readonly nextIntervalAmount: bigint;
  /** The first cut with the next interval's subsidy. */
  readonly nextReductionHeight: number;
  readonly cutsToNextReduction: number;
  /** When that cut is due if all are on time. */
  readonly nextReductionMillis: number;
  readonly issued: bigint;
  readonly toCome: bigint;
}

export function emissionDocument(
  { interval }: LedgerParameters,
  economy: EconomyRecord,
): EmissionDocument {
  const height = economy.height + 1;
  const epoch = epochOf(height, interval);
  const { intervalAmount } = economy.emission;
  const nextReductionHeight = epochEnd(epoch, interval) + 1;
  const cutsToNextReduction = nextReductionHeight - economy.height;
  const issued = economy.minted - GENESIS_SUPPLY;
  return {
    epoch,
    subsidy: subsidyOf(intervalAmount, height - epochStart(epoch, interval), interval),
    intervalAmount,
    nextIntervalAmount: nextEmission(economy.emission).intervalAmount,
    nextReductionHeight,
    cutsToNextReduction,
    nextReductionMillis: economy.timeMillis + cutsToNextReduction * economy.paceMillis,
    issued,
    toCome: EMISSION_TOTAL - issued,
  };
}
