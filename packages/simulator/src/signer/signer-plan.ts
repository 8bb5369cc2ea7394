/**
 * What a seed of a remote signer has: how fast the chain goes, how slow the links are, and how often processes die.
 */
import { Random } from '../base/random.ts';

export interface SignerPlan {
  readonly seed: number;
  /** Nodes that ask one signer. */
  readonly nodes: number;
  readonly paceMs: number;
  readonly delayMsMax: number;
  /** The mean time between two faults. */
  readonly faultMs: number;
  /** How likely the signer dies before a step of writing its record. */
  readonly stepCrashRate: number;
  /** From here on nothing fails any more. */
  readonly safetyMs: number;
  readonly endMs: number;
}

export function drawSignerPlan(seed: number): SignerPlan {
  const random = new Random(seed, 1);
  const safetyMs = random.integer(30_000, 90_000);
  return {
    seed,
    nodes: random.integer(2, 3),
    paceMs: random.pick([500, 1_000, 2_500]),
    delayMsMax: random.pick([1, 20, 150]),
    faultMs: random.pick([2_000, 6_000, 12_000]),
    stepCrashRate: random.pick([0, 0.005, 0.03]),
    safetyMs,
    endMs: safetyMs + 30_000,
  };
}
