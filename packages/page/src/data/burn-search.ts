/**
 * Finds burns by reading cuts from the newest backwards: no route lists them. The search is complete when the found
 * amounts add up to the burned amount of the supply.
 */
import type { Cut } from 'svc-api';

export interface FoundBurn {
  readonly height: number;
  readonly cause: Cut['cut']['burns'][number]['cause'];
  /** A transaction, or a validator. */
  readonly id: string;
  readonly amount: string;
}

export interface BurnSearch {
  /** Newest first. */
  readonly found: readonly FoundBurn[];
  /** The highest cut that was not read yet; below zero when all were. */
  readonly next: number;
}

export type ReadCut = (height: number) => Promise<Cut>;

/** Reads so many cuts more, until the burned amount is found. */
export async function searchBurns(
  before: BurnSearch,
  { burned, cuts, readCut }: { burned: bigint; cuts: number; readCut: ReadCut },
): Promise<BurnSearch> {
  const found = [...before.found];
  let { next } = before;
  const last = Math.max(next - cuts, -1);
  while (next > last && sumOf(found) < burned) {
    const count = Math.min(READ_AT_ONCE, next - last);
    const heights = Array.from({ length: count }, (_, place) => next - place);
    for (const { cut } of await Promise.all(heights.map(readCut)))
      found.push(...cut.burns.map((burn) => ({ ...burn, height: cut.height })));
    next -= count;
  }
  return { found, next };
}

/** The most requests of the page at a time. */
const READ_AT_ONCE = 4;

export function sumOf(burns: readonly { readonly amount: string }[]): bigint {
  return burns.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
