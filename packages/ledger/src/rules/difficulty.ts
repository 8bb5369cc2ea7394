/**
 * Difficulty. The target of a cut is that of the cut before, times 2^((K − n) / (288 K)), where n is
 * the number of blocks that the cut before registered and K the number aimed at. Counts only, no
 * clocks; factors are 64-bit fixed point, rounded down, made with integers alone.
 */
import { BLOCKS_PER_CUT_MAX, type LedgerParameters, WORK_HALF_LIFE_CUTS } from '../parameters.ts';

const FACTOR_BITS = 64n;
const PRECISION_BITS = 256;

function integerSquareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(16).length * 4) / 2 + 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** 2^(2^-i) for i = 1, 2, …, in fixed point of `PRECISION_BITS`. */
function rootsOfTwo(): bigint[] {
  const roots: bigint[] = [];
  let root = 2n << BigInt(PRECISION_BITS);
  for (let i = 1; i <= PRECISION_BITS; i++) {
    root = integerSquareRoot(root << BigInt(PRECISION_BITS));
    roots.push(root);
  }
  return roots;
}

/** 2^(numerator / denominator) in fixed point of `PRECISION_BITS`, for a fraction of 0 or more, below 1. */
function powerOfTwo(numerator: bigint, denominator: bigint, roots: readonly bigint[]): bigint {
  let power = 1n << BigInt(PRECISION_BITS);
  let rest = numerator;
  for (const root of roots) {
    rest *= 2n;
    if (rest < denominator) continue;
    rest -= denominator;
    power = (power * root) >> BigInt(PRECISION_BITS);
  }
  return power;
}

/** The factors for n = 0 to 256, in 64-bit fixed point. */
export function difficultyFactors(blocksTarget: number): readonly bigint[] {
  const roots = rootsOfTwo();
  const denominator = BigInt(WORK_HALF_LIFE_CUTS * blocksTarget);
  return Array.from({ length: BLOCKS_PER_CUT_MAX + 1 }, (_, count) => {
    const numerator = BigInt(blocksTarget - count);
    const whole = numerator < 0n ? numerator / denominator - 1n : 0n;
    const power = powerOfTwo(numerator - whole * denominator, denominator, roots);
    return power >> (BigInt(PRECISION_BITS) - FACTOR_BITS - whole);
  });
}

const factorTables = new Map<number, readonly bigint[]>();

function factorsFor(blocksTarget: number): readonly bigint[] {
  const known = factorTables.get(blocksTarget);
  if (known !== undefined) return known;
  const factors = difficultyFactors(blocksTarget);
  factorTables.set(blocksTarget, factors);
  return factors;
}

/** The target after a cut that registered `count` blocks. */
export function nextWorkTarget(
  parameters: LedgerParameters,
  target: bigint,
  count: number,
): bigint {
  const factor = factorsFor(parameters.workBlocksTarget)[count] as bigint;
  const next = (target * factor) >> FACTOR_BITS;
  if (next < parameters.workTargetMin) return parameters.workTargetMin;
  return next > parameters.workTargetMax ? parameters.workTargetMax : next;
}
