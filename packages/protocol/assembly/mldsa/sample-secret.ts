/**
 * ExpandS (FIPS 204, algorithms 31 and 33): s1 and s2 with coefficients in -4..4. What is accepted
 * is decided without a branch on the sampled value; only the number of blocks can differ.
 */
import { SHAKE256_RATE } from '../hash/keccak';
import { laneBlock, laneEnd, lanesBegin, lanesPermute, lanesSet } from '../hash/keccak-lanes';
import { ETA, K, L, N, POLY_BYTES } from './params';

/** rho' is eight words of a block; the two bytes of the polynomial's number end the input. */
const SEED_WORDS: i32 = 8;
const NUMBER_BYTES: i32 = 2;
/** CoeffFromHalfByte accepts nibbles below this. */
const NIBBLES: i32 = 2 * ETA + 1;

/** RejBoundedPoly over one block: appends coefficients of nibbles below 9, returns the new count. */
function appendBlock(block: usize, target: usize, count: i32): i32 {
  for (let at: usize = block, end: usize = block + SHAKE256_RATE; at < end && count < N; at++) {
    const byte = <i32>load<u8>(at);
    store<i32>(target + (<usize>count << 2), ETA - (byte & 15));
    count += i32((byte & 15) < NIBBLES);
    if (count == N) break;
    store<i32>(target + (<usize>count << 2), ETA - (byte >> 4));
    count += i32(byte >> 4 < NIBBLES);
  }
  return count;
}

/** Fills the L polynomials of s1 and the K of s2, which are in a row at `target`. */
export function expandSecret(seed: usize, target: usize): void {
  for (let first: i32 = 0; first < L + K; first += 4) {
    const lanes: i32 = min(4, L + K - first);
    lanesBegin(SHAKE256_RATE);
    for (let i: i32 = 0; i < SEED_WORDS; i++) lanesSet(i, load<u64>(seed + 8 * i));
    for (let lane: i32 = 0; lane < lanes; lane++) laneEnd(lane, SEED_WORDS, <u64>(first + lane), NUMBER_BYTES);
    let a: i32 = 0, b: i32 = 0, c: i32 = 0, d: i32 = lanes == 4 ? 0 : N;
    const poly = target + POLY_BYTES * first;
    do {
      lanesPermute();
      a = appendBlock(laneBlock(0), poly, a);
      b = appendBlock(laneBlock(1), poly + POLY_BYTES, b);
      c = appendBlock(laneBlock(2), poly + 2 * POLY_BYTES, c);
      d = appendBlock(laneBlock(3), poly + 3 * POLY_BYTES, d);
    } while ((a & b & c & d) < N);
  }
}
