/**
 * Hints (FIPS 204, algorithms 20, 21, 39 and 40): positions at which the verifier's high bits of w
 * are one off. Encoded as the positions of each row in rising order, then the running count of rows.
 */
import { highBits, highBitsVector, lowBits } from './decompose';
import { GAMMA2, K, N, OMEGA, PACKED_W1_BYTES, POLY_BYTES, VECTOR_BYTES } from './params';
import { canonical, canonicalVector } from './reduce';
import { HINT_POSITIONS } from './workspace';

/**
 * HintBitUnpack (algorithm 21): whether the encoding is the only one of its hints: counts in order,
 * positions rising, rest zero.
 */
export function hintIsCanonical(hint: usize): bool {
  let index: i32 = 0;
  for (let row: i32 = 0; row < K; row++) {
    const end = <i32>load<u8>(hint + OMEGA + row);
    if (end < index || end > OMEGA) return false;
    const first = index;
    for (; index < end; index++) {
      if (index > first && load<u8>(hint + index - 1) >= load<u8>(hint + index)) return false;
    }
  }
  for (; index < OMEGA; index++) if (load<u8>(hint + index) != 0) return false;
  return true;
}

/** UseHint (algorithm 40): corrects the packed high bits of the rows of w at the hinted positions. */
export function useHints(hint: usize, w: usize, packed: usize): void {
  let index: i32 = 0;
  for (let row: i32 = 0; row < K; row++) {
    for (const end = <i32>load<u8>(hint + OMEGA + row); index < end; index++) {
      const position = <usize>load<u8>(hint + index);
      const value = canonical(load<i32>(w + POLY_BYTES * row + (position << 2)));
      const high = highBits(value);
      const corrected = (lowBits(value, high) > 0 ? high + 1 : high - 1) & 15;
      const at = packed + PACKED_W1_BYTES * row + (position >> 1);
      const shift = (<i32>position & 1) << 2;
      store<u8>(at, <u8>((<i32>load<u8>(at) & ~(15 << shift)) | (corrected << shift)));
    }
  }
}

/** Whether high bits change for each of four coefficients, as one bit for each. */
@inline
function hintedFour(low: usize, w: usize): i32 {
  const value = v128.load(low);
  const beyond = i32x4.gt_s(i32x4.abs(value), i32x4.splat(GAMMA2));
  const atEdge = i32x4.eq(value, i32x4.splat(-GAMMA2));
  const isHigh = i32x4.ne(highBitsVector(canonicalVector(v128.load(w))), i32x4.splat(0));
  return i32x4.bitmask(v128.or(beyond, v128.and(atEdge, isHigh)));
}

@inline
function hinted(low: usize, w: usize): i32 {
  const value = load<i32>(low);
  const high = highBits(canonical(load<i32>(w)));
  return i32(value > GAMMA2) | i32(value < -GAMMA2) | (i32(value == -GAMMA2) & i32(high != 0));
}

/**
 * MakeHint (algorithm 39) for one row: `low` is the low part of w less c*s2 plus c*t0. Writes the row's positions
 * after the `count` that earlier rows have, and returns the new count.
 */
export function makeHints(low: usize, w: usize, count: i32): i32 {
  for (let position: i32 = 0; position < N; low += VECTOR_BYTES, w += VECTOR_BYTES) {
    let bits: i32 = 0;
    if (ASC_FEATURE_SIMD) {
      bits = hintedFour(low, w);
    } else {
      for (let i: usize = 0; i < 4; i++) bits |= hinted(low + (i << 2), w + (i << 2)) << <i32>i;
    }
    for (const end = position + 4; position < end; position++, bits >>= 1) {
      store<u8>(HINT_POSITIONS + count, <u8>position);
      count += bits & 1;
    }
  }
  return count;
}

/** HintBitPack (algorithm 20): writes row `row`'s part of the encoding; `hint` was cleared before row 0. */
export function packHints(hint: usize, row: i32, from: i32, to: i32): void {
  memory.copy(hint + from, HINT_POSITIONS + from, to - from);
  store<u8>(hint + OMEGA + row, <u8>to);
}
