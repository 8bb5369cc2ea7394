/**
 * High and low parts of coefficients (FIPS 204, algorithms 35 to 38): Power2Round of a new key, and
 * Decompose of w, whose high part is packed as the challenge needs it. No branch on a coefficient.
 */
import { COEFFICIENT_BYTES, D, GAMMA2, POLY_BYTES, Q, VECTOR_BYTES } from './params';
import { canonical, centred } from './reduce';

/** Two, eight, sixteen and thirty-two coefficients in memory. */
const PAIR_BYTES: usize = 2 * COEFFICIENT_BYTES;
const EIGHT_BYTES: usize = 2 * VECTOR_BYTES;
const SIXTEEN_BYTES: usize = 4 * VECTOR_BYTES;
const THIRTY_TWO_BYTES: usize = 8 * VECTOR_BYTES;

/** HighBits (algorithm 37) of a value in [0, q): 0..15. */
@inline
export function highBits(value: i32): i32 {
  return (((value + 127) >> 7) * 1025 + (1 << 21)) >> 22 & 15;
}

@inline
export function highBitsVector(value: v128): v128 {
  const rounded = i32x4.shr_s(i32x4.add(value, i32x4.splat(127)), 7);
  const scaled = i32x4.add(i32x4.mul(rounded, i32x4.splat(1025)), i32x4.splat(1 << 21));
  return v128.and(i32x4.shr_s(scaled, 22), i32x4.splat(15));
}

/** LowBits (algorithm 38) of a value in [0, q) whose high bits are known. */
@inline
export function lowBits(value: i32, high: i32): i32 {
  return centred(value - high * 2 * GAMMA2);
}

/**
 * A value in (-q/2, 3q/2) made positive without changing its high bits modulo 16: q is one more than
 * sixteen steps of 2 * gamma2, so what crosses 0 or q is moved by one. Counts steps of 512 from the
 * lower edge of the first high part.
 */
@inline
function steps(value: v128): v128 {
  const below = i32x4.gt_s(i32x4.splat(0), value);
  const above = i32x4.gt_s(value, i32x4.splat(Q - 1));
  const moved = i32x4.add(i32x4.sub(value, below), above);
  return i32x4.shr_u(i32x4.add(moved, i32x4.splat(Q - 1 + GAMMA2 - 1)), 9);
}

/** The high parts of eight coefficients in 16-bit lanes, not yet modulo 16: 2 * gamma2 is 1023 steps. */
@inline
function highEight(at: usize): v128 {
  const first = steps(v128.load(at)), second = steps(v128.load(at, VECTOR_BYTES));
  const count = v128.shuffle<i16>(first, second, 0, 2, 4, 6, 8, 10, 12, 14);
  const rounded = i16x8.add(i16x8.add(count, i16x8.shr_u(count, 10)), i16x8.splat(1));
  return i16x8.shr_u(rounded, 10);
}

/** Sixteen high parts in bytes, the two of each 16-bit lane joined into its low byte. */
@inline
function joinedSixteen(at: usize): v128 {
  const even = i8x16.shuffle(
    highEight(at), highEight(at + EIGHT_BYTES),
    0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
  );
  const nibbles = v128.and(even, i8x16.splat(15));
  return v128.or(nibbles, i16x8.shr_u(nibbles, 4));
}

/**
 * w1Encode (algorithm 28) of a polynomial fresh from the inverse transform: 4 bits for each
 * coefficient.
 */
export function packHighBits(poly: usize, out: usize): void {
  const end = poly + POLY_BYTES;
  if (ASC_FEATURE_SIMD) {
    for (; poly < end; poly += THIRTY_TWO_BYTES, out += 16) {
      v128.store(out, i8x16.shuffle(
        joinedSixteen(poly), joinedSixteen(poly + SIXTEEN_BYTES),
        0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
      ));
    }
  } else {
    for (; poly < end; poly += PAIR_BYTES, out++) {
      const low = highBits(canonical(load<i32>(poly)));
      store<u8>(out, <u8>(low | (highBits(canonical(load<i32>(poly, COEFFICIENT_BYTES))) << 4)));
    }
  }
}

/**
 * LowBits of a polynomial fresh from the inverse transform. Constants are named before the loop, because engines make
 * those inside of it anew for each vector.
 */
export function splitLowBits(poly: usize, low: usize): void {
  if (ASC_FEATURE_SIMD) {
    const q = i32x4.splat(Q), last = i32x4.splat(Q - 1), half = i32x4.splat((Q - 1) / 2);
    const rounding = i32x4.splat(127), scale = i32x4.splat(1025), scaledHalf = i32x4.splat(1 << 21);
    const fifteen = i32x4.splat(15), step = i32x4.splat(2 * GAMMA2);
    for (let j: usize = 0; j < POLY_BYTES; j += VECTOR_BYTES) {
      const raw = v128.load(poly + j);
      const positive = i32x4.add(raw, v128.and(i32x4.shr_s(raw, 31), q));
      const value = i32x4.sub(positive, v128.and(i32x4.gt_s(positive, last), q));
      const rounded = i32x4.shr_s(i32x4.add(value, rounding), 7);
      const high = v128.and(i32x4.shr_s(i32x4.add(i32x4.mul(rounded, scale), scaledHalf), 22), fifteen);
      const rest = i32x4.sub(value, i32x4.mul(high, step));
      v128.store(low + j, i32x4.sub(rest, v128.and(i32x4.gt_s(rest, half), q)));
    }
  } else {
    for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) {
      const value = canonical(load<i32>(poly + j));
      store<i32>(low + j, lowBits(value, highBits(value)));
    }
  }
}

/** Power2Round (algorithm 35) of a polynomial in [0, q): leaves t1 in its place and writes t0. */
export function powerTwoRound(poly: usize, low: usize): void {
  for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) {
    const value = load<i32>(poly + j);
    const high = (value + (1 << (D - 1)) - 1) >> D;
    store<i32>(poly + j, high);
    store<i32>(low + j, value - (high << D));
  }
}
