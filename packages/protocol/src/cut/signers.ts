/**
 * Signers: a bitmap of 64 bits over the validators of a set, lowest first. By its form no validator can be counted
 * twice.
 */

/** The indexes of the set bits, ascending. */
export function signerIndexes(signers: bigint): number[] {
  const low = Number(signers & 0xffff_ffffn);
  const high = Number((signers >> 32n) & 0xffff_ffffn);
  const indexes: number[] = [];
  for (let bit = 0; bit < 32; bit++) if (((low >>> bit) & 1) === 1) indexes.push(bit);
  for (let bit = 0; bit < 32; bit++) if (((high >>> bit) & 1) === 1) indexes.push(32 + bit);
  return indexes;
}

export function signersOf(indexes: readonly number[]): bigint {
  return indexes.reduce((bitmap, index) => bitmap | (1n << BigInt(index)), 0n);
}

/** More than two thirds: what makes a cut final. */
export function isQuorum(stake: bigint, total: bigint): boolean {
  return 3n * stake > 2n * total;
}

/** More than one third: at least one honest validator. */
export function isHonestMinority(stake: bigint, total: bigint): boolean {
  return 3n * stake > total;
}
