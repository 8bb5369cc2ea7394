/**
 * ExpandA (FIPS 204, algorithms 30 and 32): the public matrix from its seed, four entries at once.
 */
import { SHAKE128_RATE } from '../hash/keccak';
import { laneBlock, laneEnd, lanesBegin, lanesPermute, lanesPermutePair, lanesSet } from '../hash/keccak-lanes';
import { K, L, POLY_BYTES, Q } from './params';

const BLOCK_VECTORS: i32 = 14;

/** Takes up to 14 vectors of four coefficients, if all are below q; returns how many it took. */
@inline
function takeVectors(block: usize, target: usize, count: i32): i32 {
  const vectors: i32 = min((256 - count) >> 2, BLOCK_VECTORS);
  const spread = i8x16(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  let over = i32x4.splat(0);
  target += <usize>count << 2;
  for (let i: i32 = 0; i < vectors; i++) {
    const values = v128.and(i8x16.swizzle(v128.load(block), spread), i32x4.splat(0x7fffff));
    v128.store(target, values);
    over = v128.or(over, i32x4.gt_s(values, i32x4.splat(Q - 1)));
    block += 12;
    target += 16;
  }
  return v128.any_true(over) ? 0 : vectors;
}

/** RejNTTPoly over one block: appends coefficients below q, returns the new count. */
function takeBlock(block: usize, target: usize, count: i32): i32 {
  let position: usize = 0;
  if (ASC_FEATURE_SIMD) {
    const vectors = takeVectors(block, target, count);
    count += vectors << 2;
    position = <usize>vectors * 12;
  }
  while (position < <usize>SHAKE128_RATE && count < 256) {
    const value = <i32>(load<u32>(block + position) & 0x7fffff);
    store<i32>(target + (<usize>count << 2), value);
    count += i32(value < Q);
    position += 3;
  }
  return count;
}

function beginEntries(seed: usize, first: i32, entries: i32): void {
  lanesBegin(SHAKE128_RATE);
  for (let i: i32 = 0; i < 4; i++) lanesSet(i, load<u64>(seed + 8 * i));
  for (let lane: i32 = 0; lane < entries; lane++) {
    const entry = first + lane;
    laneEnd(lane, 4, <u64>(entry % L) | (<u64>(entry / L) << 8), 2);
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
      a = takeBlock(laneBlock(0), target, a);
      b = takeBlock(laneBlock(1), target + POLY_BYTES, b);
      c = takeBlock(laneBlock(2), target + 2 * POLY_BYTES, c);
      d = takeBlock(laneBlock(3), target + 3 * POLY_BYTES, d);
    } while ((a & b & c & d) < 256);
  }
  beginEntries(seed, entry, 2);
  const target = matrix + POLY_BYTES * entry;
  let a: i32 = 0, b: i32 = 0;
  do {
    lanesPermutePair();
    a = takeBlock(laneBlock(0), target, a);
    b = takeBlock(laneBlock(1), target + POLY_BYTES, b);
  } while ((a & b) < 256);
}
