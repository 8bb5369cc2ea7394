/**
 * ExpandA (FIPS 204, algorithms 30 and 32): the public matrix from its seed, four entries at once.
 */
import { SHAKE128_RATE } from '../hash/keccak';
import { laneBlock, laneEnd, lanesBegin, lanesPermute, lanesPermutePair, lanesSet } from '../hash/keccak-lanes';
import { K, L, N, POLY_BYTES, Q, VECTOR_BYTES } from './params';

/** A block of SHAKE128 has 56 coefficients of three bytes: 14 vectors of four. */
const BLOCK_VECTORS: i32 = 14;
const COEFFICIENT_PACKED_BYTES: usize = 3;
const VECTOR_PACKED_BYTES: usize = 12;
/** CoeffFromThreeBytes takes 23 bits. */
const COEFFICIENT_BITS: i32 = 0x7fffff;
/** rho is four words of a block; the bytes column and row end the input. */
const SEED_WORDS: i32 = 4;
const ENTRY_BYTES: i32 = 2;

/** Appends up to 14 vectors of four coefficients if all are below q; returns how many it appended. */
@inline
function appendVectors(block: usize, target: usize, count: i32): i32 {
  const vectors: i32 = min((N - count) >> 2, BLOCK_VECTORS);
  const spread = i8x16(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  let over = i32x4.splat(0);
  target += <usize>count << 2;
  for (let i: i32 = 0; i < vectors; i++) {
    const values = v128.and(i8x16.swizzle(v128.load(block), spread), i32x4.splat(COEFFICIENT_BITS));
    v128.store(target, values);
    over = v128.or(over, i32x4.gt_s(values, i32x4.splat(Q - 1)));
    block += VECTOR_PACKED_BYTES;
    target += VECTOR_BYTES;
  }
  return v128.any_true(over) ? 0 : vectors;
}

/** RejNTTPoly over one block: appends coefficients below q, returns the new count. */
function appendBlock(block: usize, target: usize, count: i32): i32 {
  let position: usize = 0;
  if (ASC_FEATURE_SIMD) {
    const vectors = appendVectors(block, target, count);
    count += vectors << 2;
    position = <usize>vectors * VECTOR_PACKED_BYTES;
  }
  while (position < <usize>SHAKE128_RATE && count < N) {
    const value = <i32>(load<u32>(block + position) & COEFFICIENT_BITS);
    store<i32>(target + (<usize>count << 2), value);
    count += i32(value < Q);
    position += COEFFICIENT_PACKED_BYTES;
  }
  return count;
}

/** Sets one lane to rho, column and row for each entry of A, counted row by row. */
function beginEntries(seed: usize, first: i32, entries: i32): void {
  lanesBegin(SHAKE128_RATE);
  for (let i: i32 = 0; i < SEED_WORDS; i++) lanesSet(i, load<u64>(seed + 8 * i));
  for (let lane: i32 = 0; lane < entries; lane++) {
    const entry = first + lane;
    laneEnd(lane, SEED_WORDS, <u64>(entry % L) | (<u64>(entry / L) << 8), ENTRY_BYTES);
  }
}

export function expandMatrix(seed: usize, matrix: usize): void {
  let entry: i32 = 0;
  for (; entry + 4 <= K * L; entry += 4) {
    beginEntries(seed, entry, 4);
    const target = matrix + POLY_BYTES * entry;
    let a: i32 = 0, b: i32 = 0, c: i32 = 0, d: i32 = 0;
    do {
      lanesPermute();
      a = appendBlock(laneBlock(0), target, a);
      b = appendBlock(laneBlock(1), target + POLY_BYTES, b);
      c = appendBlock(laneBlock(2), target + 2 * POLY_BYTES, c);
      d = appendBlock(laneBlock(3), target + 3 * POLY_BYTES, d);
    } while ((a & b & c & d) < N);
  }
  beginEntries(seed, entry, 2);
  const target = matrix + POLY_BYTES * entry;
  let a: i32 = 0, b: i32 = 0;
  do {
    lanesPermutePair();
    a = appendBlock(laneBlock(0), target, a);
    b = appendBlock(laneBlock(1), target + POLY_BYTES, b);
  } while ((a & b) < N);
}
