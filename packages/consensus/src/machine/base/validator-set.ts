/**
 * The validators of one height with their stake, and the two thresholds all rules are made of:
 * `isQuorum` (more than two thirds) and `hasHonest` (more than one third).
 */
import { assertInvariant } from './assertion.ts';
import { VALIDATORS_MAX } from './limits.ts';
import type { Bitmap, ValidatorIndex } from './types.ts';

export interface ValidatorSet {
  /** The id of the set, as votes name it. */
  readonly id: string;
  readonly stakes: readonly bigint[];
  readonly totalStake: bigint;
  /** `stake > quorumFloor` is `3 * stake > 2 * total`, without a multiplication per vote. */
  readonly quorumFloor: bigint;
  readonly honestFloor: bigint;
}

const BITS: readonly Bitmap[] = Array.from({ length: VALIDATORS_MAX }, (_, i) => 1n << BigInt(i));

export function createValidatorSet(id: string, stakes: readonly bigint[]): ValidatorSet {
  if (stakes.length === 0 || stakes.length > VALIDATORS_MAX)
    throw new RangeError(`a set has 1 to ${VALIDATORS_MAX} validators, not ${stakes.length}`);
  if (stakes.some((stake) => stake <= 0n)) throw new RangeError('every stake is above zero');
  const totalStake = stakes.reduce((sum, stake) => sum + stake, 0n);
  return {
    id,
    stakes,
    totalStake,
    quorumFloor: (2n * totalStake) / 3n,
    honestFloor: totalStake / 3n,
  };
}

/** Q: more than two thirds of the stake. Two quorums share an honest validator. */
export function isQuorum(set: ValidatorSet, stake: bigint): boolean {
  return stake > set.quorumFloor;
}

/** S: more than one third of the stake. At least one of these validators is honest. */
export function hasHonest(set: ValidatorSet, stake: bigint): boolean {
  return stake > set.honestFloor;
}

export function stakeOf(set: ValidatorSet, index: ValidatorIndex): bigint {
  const stake = set.stakes[index];
  assertInvariant(stake !== undefined, `validator ${index} is outside the set`);
  return stake;
}

export function isMember(set: ValidatorSet, index: ValidatorIndex): boolean {
  return Number.isInteger(index) && index >= 0 && index < set.stakes.length;
}

export function bitOf(index: ValidatorIndex): Bitmap {
  const bit = BITS[index];
  assertInvariant(bit !== undefined, `no bit for index ${index}`, 'bitmap_outside_set');
  return bit;
}

export function isBitSet(bitmap: Bitmap, index: ValidatorIndex): boolean {
  return (bitmap & bitOf(index)) !== 0n;
}

export function isWithinSet(set: ValidatorSet, bitmap: Bitmap): boolean {
  return bitmap >= 0n && bitmap >> BigInt(set.stakes.length) === 0n;
}

/** The indexes whose bit is set, lowest first. */
export function membersOf(bitmap: Bitmap): ValidatorIndex[] {
  const members: ValidatorIndex[] = [];
  addBits(members, Number(bitmap & 0xffff_ffffn), 0);
  if (bitmap > 0xffff_ffffn) addBits(members, Number((bitmap >> 32n) & 0xffff_ffffn), 32);
  return members;
}

function addBits(members: ValidatorIndex[], half: number, offset: number): void {
  for (let rest = half | 0; rest !== 0; rest &= rest - 1)
    members.push(offset + 31 - Math.clz32(rest & -rest));
}

export function stakeOfBitmap(set: ValidatorSet, bitmap: Bitmap): bigint {
  assertInvariant(isWithinSet(set, bitmap), 'bitmap within the set', 'bitmap_outside_set');
  let stake = 0n;
  for (const index of membersOf(bitmap)) stake += stakeOf(set, index);
  return stake;
}
