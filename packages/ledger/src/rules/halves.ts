/**
 * The split. Every subsidy and every fee falls into a work half and a stake half; an odd atom goes to
 * the stake half.
 */
export interface Halves {
  readonly work: bigint;
  readonly stake: bigint;
}

export function halvesOf(amount: bigint): Halves {
  const work = amount / 2n;
  return { work, stake: amount - work };
}
