/**
 * The float: a wanted number of coins of a useful size. An output that is not final cannot be spent, so a wallet with one
 * coin makes one payment a cut; with a float it makes as many at once as the float has coins. What comes back to the
 * wallet is split here into the coins that are missing. A transaction has few outputs, so where many are missing
 * the parts are large enough to be split again: their number grows eightfold with each cut. Pure.
 */
import type { ChainTerms, MassModel } from './mass-model.ts';

export interface Float {
  /** How many coins are wanted. */
  readonly count: number;
  /** What a coin can pay, in atoms, beside the fee. */
  readonly amount: bigint;
}

/** What the float lacks now. */
export interface FloatNeed {
  readonly missing: number;
  /** What one coin of the float is made of: the amount and the fee for paying it out. */
  readonly piece: bigint;
}

export interface SplitTask extends FloatNeed {
  /** Outputs that the transaction may have for the parts. */
  readonly outputsMax: number;
  /** What each further output adds to the fee. */
  readonly outputFee: bigint;
  /** The most that a transaction costs which splits a part again. */
  readonly splitFee: bigint;
}

export interface Split {
  /** At least one; the last is what is left over. Each further part has cost the fee of its output. */
  readonly parts: readonly bigint[];
  /** How many of the missing coins the parts become in the end. */
  readonly gained: number;
}

/** What one coin of the float is worth: a payment of the amount and its change, at the least fee. */
export function pieceOf({ amount }: Float, mass: MassModel, terms: ChainTerms): bigint {
  return amount + mass.payment * terms.minFeePerMass;
}

/** The most that a transaction costs which spends one coin and makes as many as it can. */
export function splitFeeOf(mass: MassModel, { minFeePerMass, outputsMax }: ChainTerms): bigint {
  return (mass.payment + BigInt(outputsMax) * mass.output) * minFeePerMass;
}

export function splitForFloat(value: bigint, task: SplitTask): Split {
  const further = Math.max(0, task.outputsMax - 1);
  const fees = BigInt(further) * task.outputFee;
  // A part of several coins carries the fees for splitting it again.
  const unit = task.piece + task.splitFee;
  const many = howMany(value - task.piece - fees, unit, task.missing);
  if (further > 0 && many > further) return splitIntoParts(value, many, unit, further, task);
  const few = howMany(value - task.piece, task.piece + task.outputFee, task.missing);
  const gained = Math.min(few, further);
  return { parts: [...partsOf(gained, task.piece), restOf(value, gained, task)], gained };
}

function splitIntoParts(
  value: bigint,
  gained: number,
  unit: bigint,
  further: number,
  { outputFee, piece }: SplitTask,
): Split {
  const parts = Array.from({ length: further }, (_, at) => {
    const coins = Math.floor((gained + at + 1) / (further + 1));
    return coins <= 1 ? piece : BigInt(coins) * unit;
  });
  const used = parts.reduce((sum, part) => sum + part + outputFee, 0n);
  return { parts: [...parts, value - used], gained };
}

function howMany(value: bigint, cost: bigint, atMost: number): number {
  if (value < cost) return 0;
  const affordable = value / cost;
  return affordable < BigInt(atMost) ? Number(affordable) : atMost;
}

function partsOf(count: number, piece: bigint): bigint[] {
  return Array.from({ length: count }, () => piece);
}

function restOf(value: bigint, count: number, { outputFee, piece }: SplitTask): bigint {
  return value - BigInt(count) * (piece + outputFee);
}
