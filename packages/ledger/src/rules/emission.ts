/**
 * Emission. Each interval issues 0.3 % of what is still to come, in whole atoms; the remainder of
 * that division goes into the next interval's. Within an interval every cut gets its even part.
 */
import { invariant } from '../assertion.ts';
import { EMISSION_TOTAL } from '../parameters.ts';

export interface EmissionState {
  /** Emission of all intervals after the running one. */
  readonly remaining: bigint;
  /** Remainder of the last division, in thousandths of an atom. */
  readonly carry: bigint;
  /** Emission of the running interval. */
  readonly intervalAmount: bigint;
}

const NUMERATOR = 3n;
const DENOMINATOR = 1_000n;

export function firstEmission(): EmissionState {
  return nextEmission({ remaining: EMISSION_TOTAL, carry: 0n, intervalAmount: 0n });
}

/** The state for the interval after the given one. */
export function nextEmission({ remaining, carry }: EmissionState): EmissionState {
  const numerator = remaining * NUMERATOR + carry;
  const intervalAmount = numerator / DENOMINATOR;
  invariant(intervalAmount <= remaining, 'an interval emits more than there is');
  return {
    remaining: remaining - intervalAmount,
    carry: numerator % DENOMINATOR,
    intervalAmount,
  };
}

/** The subsidy of the cut with the given index, 0 to N − 1, within its interval. */
export function subsidyOf(intervalAmount: bigint, index: number, interval: number): bigint {
  invariant(index >= 0 && index < interval, `cut ${index} is outside its interval`);
  const cuts = BigInt(interval);
  const before = (intervalAmount * BigInt(index)) / cuts;
  return (intervalAmount * BigInt(index + 1)) / cuts - before;
}
