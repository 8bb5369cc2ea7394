/**
 * The powers of the 512th root of unity that the number-theoretic transform multiplies by (FIPS 204,
 * section 7.5). Each comes with its quotient, round(zeta * 2^32 / q), so that a product is reduced
 * with one high multiplication (Barrett's method for a known factor).
 *
 * The tables are computed when the module starts, which takes microseconds: in the file they would be
 * 6 KiB that do not compress. Nothing writes to them afterwards.
 */
import { N, Q } from './params';

/** The 512th root of unity modulo q. */
const ROOT: i32 = 1753;
const INDEX_BITS: i32 = 8;
const BLOCKS: i32 = 16;
/** Four vectors of factors and four of quotients. */
const BLOCK_BYTES: usize = 128;

/** zeta^brv(i) and its quotient, for i from 0 to 255. */
export const ZETAS: usize = memory.data(2048, 16);
/** Factors and quotients of the forward layers of length 2 and 1, 128 bytes for 16 coefficients. */
export const FORWARD_VECTORS: usize = memory.data(2048, 16);
/** Factors and quotients of the inverse layers of length 1 and 2, 128 bytes for 16 coefficients. */
export const INVERSE_VECTORS: usize = memory.data(2048, 16);

fillZetas();
if (ASC_FEATURE_SIMD) {
  for (let block: i32 = 0; block < BLOCKS; block++) {
    fillForward(FORWARD_VECTORS + BLOCK_BYTES * block, block);
    fillInverse(INVERSE_VECTORS + BLOCK_BYTES * block, block);
  }
}

/** brv(i) of FIPS 204: the eight bits of an index in reverse order. */
function reversedBits(index: i32): i32 {
  let reversed: i32 = 0;
  for (let bit: i32 = 0; bit < INDEX_BITS; bit++) reversed |= ((index >> bit) & 1) << (INDEX_BITS - 1 - bit);
  return reversed;
}

/** factor * 2^32 / q, rounded to the nearest integer. */
function quotientOf(factor: i32): i32 {
  const divisor: i64 = 2 * <i64>Q;
  const numerator: i64 = (<i64>factor << 33) + Q;
  return <i32>((numerator < 0 ? numerator - divisor + 1 : numerator) / divisor);
}

function fillZetas(): void {
  let power: i64 = 1;
  for (let exponent: i32 = 0; exponent < N; exponent++) {
    const centred: i32 = <i32>power > Q / 2 ? <i32>power - Q : <i32>power;
    const at = ZETAS + (<usize>reversedBits(exponent) << 3);
    store<i32>(at, centred);
    store<i32>(at, quotientOf(centred), 4);
    power = (power * ROOT) % Q;
  }
}

/** Copies the factor at an index, and its quotient, to a lane of a vector and of the one after it. */
function fillLane(vector: usize, lane: usize, index: i32): void {
  const from = ZETAS + (<usize>index << 3);
  store<i32>(vector + (lane << 2), load<i32>(from));
  store<i32>(vector + (lane << 2), load<i32>(from, 4), 16);
}

/** The factors of four blocks of length 1, in the order in which lanes are shuffled. */
function fillFour(vector: usize, index: i32, step: i32): void {
  fillLane(vector, 0, index);
  fillLane(vector, 1, index + 2 * step);
  fillLane(vector, 2, index + step);
  fillLane(vector, 3, index + 3 * step);
}

/** The factors of two blocks of length 2. */
function fillTwo(vector: usize, index: i32, step: i32): void {
  fillLane(vector, 0, index);
  fillLane(vector, 1, index);
  fillLane(vector, 2, index + step);
  fillLane(vector, 3, index + step);
}

function fillForward(at: usize, block: i32): void {
  const two: i32 = 64 + 4 * block;
  const one: i32 = 128 + 8 * block;
  fillTwo(at, two, 1);
  fillTwo(at + 32, two + 2, 1);
  fillFour(at + 64, one, 1);
  fillFour(at + 96, one + 4, 1);
}

function fillInverse(at: usize, block: i32): void {
  const one: i32 = 255 - 8 * block;
  const two: i32 = 127 - 4 * block;
  fillFour(at, one, -1);
  fillFour(at + 32, one - 4, -1);
  fillTwo(at + 64, two, -1);
  fillTwo(at + 96, two - 2, -1);
}
