/**
 * High and low parts of coefficients (FIPS 204, algorithms 35 to 38): Power2Round of a new key, and
 * Decompose of w, whose high part is packed as the challenge needs it. No branch on a coefficient.
 */
import { D, GAMMA2, POLY_BYTES, Q } from './params';
import { canonical, canonicalVector, centred, centredVector } from './reduce';

/** HighBits of a value in [0, q): 0..15. */
@inline
export function highBits(value: i32): i32 {
  return (((value + 127) >> 7) * 1025 + (1 << 21)) >> 22 & 15;
}

@inline
function highBitsVector(value: v128): v128 {
  const rounded = i32x4.shr_s(i32x4.add(value, i32x4.splat(127)), 7);
  const scaled = i32x4.add(i32x4.mul(rounded, i32x4.splat(1025)), i32x4.splat(1 << 21));
  return v128.and(i32x4.shr_s(scaled, 22), i32x4.splat(15));
}

/** LowBits of a value in [0, q) whose high bits are known. */
@inline
export function lowBits(value: i32, high: i32): i32 {
  return centred(value - high * 2 * GAMMA2);
}

/** The high parts of eight coefficients fresh from the inverse transform, in 16-bit lanes. */
@inline
function highEight(at: usize): v128 {
  const first = highBitsVector(canonicalVector(v128.load(at)));
  return i16x8.narrow_i32x4_u(first, highBitsVector(canonicalVector(v128.load(at, 16))));
}

/** Joins the two high parts in each 16-bit lane into the low byte. */
@inline
function joined(nibbles: v128): v128 {
  return v128.and(v128.or(nibbles, i16x8.shr_u(nibbles, 4)), i16x8.splat(0xff));
}

/** w1Encode of a polynomial fresh from the inverse transform: 4 bits for each coefficient. */
export function packHighBits(poly: usize, out: usize): void {
  const end = poly + POLY_BYTES;
  if (ASC_FEATURE_SIMD) {
    for (; poly < end; poly += 128, out += 16) {
      const first = i8x16.narrow_i16x8_u(highEight(poly), highEight(poly + 32));
      const second = i8x16.narrow_i16x8_u(highEight(poly + 64), highEight(poly + 96));
      v128.store(out, i8x16.narrow_i16x8_u(joined(first), joined(second)));
    }
  } else {
    for (; poly < end; poly += 8, out++) {
      const low = highBits(canonical(load<i32>(poly)));
      store<u8>(out, <u8>(low | (highBits(canonical(load<i32>(poly, 4))) << 4)));
    }
  }
}

/** LowBits of a polynomial fresh from the inverse transform. */
export function splitLowBits(poly: usize, low: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let j: usize = 0; j < POLY_BYTES; j += 16) {
      const value = canonicalVector(v128.load(poly + j));
      const high = i32x4.mul(highBitsVector(value), i32x4.splat(2 * GAMMA2));
      v128.store(low + j, centredVector(i32x4.sub(value, high)));
    }
  } else {
    for (let j: usize = 0; j < POLY_BYTES; j += 4) {
      const value = canonical(load<i32>(poly + j));
      store<i32>(low + j, lowBits(value, highBits(value)));
    }
  }
}

/** Power2Round of a polynomial in [0, q): leaves t1 in its place and writes t0. */
export function powerTwoRound(poly: usize, low: usize): void {
  for (let j: usize = 0; j < POLY_BYTES; j += 4) {
    const value = load<i32>(poly + j);
    const high = (value + (1 << (D - 1)) - 1) >> D;
    store<i32>(poly + j, high);
    store<i32>(low + j, value - (high << D));
  }
}
