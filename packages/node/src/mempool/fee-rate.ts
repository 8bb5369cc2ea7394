/**
 * What a transaction pays for each unit of mass, as a fraction that is never divided out.
 */
export interface FeeRate {
  readonly fee: bigint;
  /** Above zero. */
  readonly mass: bigint;
}

/** Orders the best rate first. */
export function compareRates(a: FeeRate, b: FeeRate): number {
  const left = a.fee * b.mass;
  const right = b.fee * a.mass;
  if (left === right) return 0;
  return left > right ? -1 : 1;
}
