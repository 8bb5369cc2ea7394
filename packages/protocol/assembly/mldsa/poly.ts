/**
 * Operations on whole polynomials of 256 coefficients. Products take operands in the domain of the
 * number-theoretic transform and owe the factor that `inverseTransform` pays. Nothing here branches
 * on a coefficient.
 */
import { Q_INVERSE } from '../generated/mldsa-constants';
import { COEFFICIENT_BYTES, POLY_BYTES, Q, VECTOR_BYTES } from './params';
import { canonical, canonicalVector, centred, centredVector, montgomery, montgomeryVector } from './reduce';

/** Offsets of the polynomials of a row of A, or of a vector of L polynomials, after the first. */
const SECOND: usize = POLY_BYTES;
const THIRD: usize = 2 * POLY_BYTES;
const FOURTH: usize = 3 * POLY_BYTES;
const FIFTH: usize = 4 * POLY_BYTES;

/** `rowProduct` for four coefficients at a time. Sums of five products and one more stay below 2^63. */
function rowProductVector(out: usize, row: usize, vector: usize, a: usize, b: usize): void {
  const q = i32x4.splat(Q), inverse = i32x4.splat(Q_INVERSE);
  for (let j: usize = 0; j < POLY_BYTES; j += VECTOR_BYTES) {
    const r = row + j, v = vector + j;
    let x = v128.load(r), y = v128.load(v);
    let low = i64x2.extmul_low_i32x4_s(x, y), high = i64x2.extmul_high_i32x4_s(x, y);
    x = v128.load(r, SECOND);
    y = v128.load(v, SECOND);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(x, y));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(x, y));
    x = v128.load(r, THIRD);
    y = v128.load(v, THIRD);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(x, y));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(x, y));
    x = v128.load(r, FOURTH);
    y = v128.load(v, FOURTH);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(x, y));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(x, y));
    x = v128.load(r, FIFTH);
    y = v128.load(v, FIFTH);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_s(x, y));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_s(x, y));
    if (a != 0) {
      x = v128.load(a + j);
      y = v128.load(b + j);
      low = i64x2.sub(low, i64x2.extmul_low_i32x4_s(x, y));
      high = i64x2.sub(high, i64x2.extmul_high_i32x4_s(x, y));
    }
    v128.store(out + j, montgomeryVector(low, high, q, inverse));
  }
}

/** The product of two coefficients in 64 bits. */
@inline
function wideProduct(a: usize, b: usize): i64 {
  return <i64>load<i32>(a) * <i64>load<i32>(b);
}

/** A row of A times a vector of L polynomials, less a * b when `a` is not 0. */
export function rowProduct(out: usize, row: usize, vector: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_SIMD) {
    rowProductVector(out, row, vector, a, b);
  } else {
    for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) {
      let sum = wideProduct(row + j, vector + j);
      sum += wideProduct(row + j + SECOND, vector + j + SECOND);
      sum += wideProduct(row + j + THIRD, vector + j + THIRD);
      sum += wideProduct(row + j + FOURTH, vector + j + FOURTH);
      sum += wideProduct(row + j + FIFTH, vector + j + FIFTH);
      if (a != 0) sum -= wideProduct(a + j, b + j);
      store<i32>(out + j, montgomery(sum));
    }
  }
}

/** The product of two polynomials, coefficient by coefficient in the transformed domain. */
export function multiply(out: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_SIMD) {
    const q = i32x4.splat(Q), inverse = i32x4.splat(Q_INVERSE);
    for (let j: usize = 0; j < POLY_BYTES; j += VECTOR_BYTES) {
      const x = v128.load(a + j), y = v128.load(b + j);
      const low = i64x2.extmul_low_i32x4_s(x, y), high = i64x2.extmul_high_i32x4_s(x, y);
      v128.store(out + j, montgomeryVector(low, high, q, inverse));
    }
  } else {
    for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) store<i32>(out + j, montgomery(wideProduct(a + j, b + j)));
  }
}

/** poly + addend modulo q, in [0, q), for a poly fresh from the inverse transform and a short addend. */
export function addCanonical(poly: usize, addend: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let j: usize = 0; j < POLY_BYTES; j += VECTOR_BYTES) {
      v128.store(poly + j, canonicalVector(i32x4.add(v128.load(poly + j), v128.load(addend + j))));
    }
  } else {
    for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) {
      store<i32>(poly + j, canonical(load<i32>(poly + j) + load<i32>(addend + j)));
    }
  }
}

/** poly + addend, which nothing reduces. */
export function add(poly: usize, addend: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let j: usize = 0; j < POLY_BYTES; j += VECTOR_BYTES) {
      v128.store(poly + j, i32x4.add(v128.load(poly + j), v128.load(addend + j)));
    }
  } else {
    for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) {
      store<i32>(poly + j, load<i32>(poly + j) + load<i32>(addend + j));
    }
  }
}

/** poly - subtrahend, which nothing reduces. */
export function subtract(poly: usize, subtrahend: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let j: usize = 0; j < POLY_BYTES; j += VECTOR_BYTES) {
      v128.store(poly + j, i32x4.sub(v128.load(poly + j), v128.load(subtrahend + j)));
    }
  } else {
    for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) {
      store<i32>(poly + j, load<i32>(poly + j) - load<i32>(subtrahend + j));
    }
  }
}

/** Replaces every coefficient by its representative nearest to zero. */
export function centre(poly: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let j: usize = 0; j < POLY_BYTES; j += VECTOR_BYTES) v128.store(poly + j, centredVector(v128.load(poly + j)));
  } else {
    for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) store<i32>(poly + j, centred(load<i32>(poly + j)));
  }
}

/** Whether any coefficient is `bound` or more away from zero. */
export function exceeds(poly: usize, bound: i32): bool {
  if (ASC_FEATURE_SIMD) {
    let most = i32x4.splat(0);
    for (let j: usize = 0; j < POLY_BYTES; j += VECTOR_BYTES) most = i32x4.max_u(most, i32x4.abs(v128.load(poly + j)));
    return v128.any_true(i32x4.ge_u(most, i32x4.splat(bound)));
  }
  let over: i32 = 0;
  for (let j: usize = 0; j < POLY_BYTES; j += COEFFICIENT_BYTES) {
    const value = load<i32>(poly + j);
    const sign = value >> 31;
    over |= bound - 1 - ((value ^ sign) - sign);
  }
  return over < 0;
}
