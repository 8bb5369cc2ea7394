/**
 * What the next block would carry of waiting transactions, as a node fills its template: the best paid first, those that
 * still fit. Transactions that a block carries already and wait for their cut are not known here.
 */

/** Limits of a block; the body also has a few bytes around its transactions. */
const MASS_MAX = 200_000;
const BYTES_MAX = 64_000;

export interface WaitingSize {
  readonly mass: number;
  readonly bytes: number;
}

/** The indexes of the transactions that fit, of a list with the best paid first. */
export function nextBlock(waiting: readonly WaitingSize[]): ReadonlySet<number> {
  const taken = new Set<number>();
  let massLeft = MASS_MAX;
  let bytesLeft = BYTES_MAX;
  for (const [place, { mass, bytes }] of waiting.entries()) {
    if (mass > massLeft || bytes > bytesLeft) continue;
    massLeft -= mass;
    bytesLeft -= bytes;
    taken.add(place);
  }
  return taken;
}
