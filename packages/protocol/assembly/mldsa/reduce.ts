/**
 * Arithmetic modulo q on 32-bit numbers that need not be reduced, for one number and for four.
 * Products by known factors use Barrett's method with the factor's quotient; other products go
 * through Montgomery's reduction. Nothing here branches on a value.
 */
import { Q_INVERSE } from '../generated/mldsa-constants';
import { Q } from './params';

/** value * factor modulo q, in (-q/4, 5q/4). */
@inline
export function multiplyKnown(value: i32, factor: i32, quotient: i32): i32 {
  return value * factor - <i32>((<i64>value * <i64>quotient) >> 32) * Q;
}

@inline
export function multiplyKnownVector(value: v128, factor: v128, quotient: v128): v128 {
  const high = v128.shuffle<i32>(
    i64x2.extmul_low_i32x4_s(value, quotient),
    i64x2.extmul_high_i32x4_s(value, quotient),
    1, 3, 5, 7,
  );
  return i32x4.sub(i32x4.mul(value, factor), i32x4.mul(high, i32x4.splat(Q)));
}

/** sum / 2^32 modulo q for |sum| < q * 2^31, at most q away from zero. */
@inline
export function montgomery(sum: i64): i32 {
  const factor: i32 = <i32>sum * Q_INVERSE;
  return <i32>((sum - <i64>factor * <i64>Q) >> 32);
}

/** The same for four sums, two in each vector. Loops make `q` and `inverse`, of Q and Q_INVERSE, once for all. */
@inline
export function montgomeryVector(low: v128, high: v128, q: v128, inverse: v128): v128 {
  const factor = i32x4.mul(v128.shuffle<i32>(low, high, 0, 2, 4, 6), inverse);
  return v128.shuffle<i32>(
    i64x2.sub(low, i64x2.extmul_low_i32x4_s(factor, q)),
    i64x2.sub(high, i64x2.extmul_high_i32x4_s(factor, q)),
    1, 3, 5, 7,
  );
}

/** From (-q, 2q) to [0, q). */
@inline
export function canonical(value: i32): i32 {
  const positive = value + ((value >> 31) & Q);
  const reduced = positive - Q;
  return reduced + ((reduced >> 31) & Q);
}

@inline
export function canonicalVector(value: v128): v128 {
  const q = i32x4.splat(Q);
  const positive = i32x4.add(value, v128.and(i32x4.shr_s(value, 31), q));
  return i32x4.sub(positive, v128.and(i32x4.gt_s(positive, i32x4.splat(Q - 1)), q));
}

/** From (-q/2, 3q/2) to the representative nearest to zero. */
@inline
export function centred(value: i32): i32 {
  return value - ((((Q - 1) / 2 - value) >> 31) & Q);
}

@inline
export function centredVector(value: v128): v128 {
  const above = i32x4.gt_s(value, i32x4.splat((Q - 1) / 2));
  return i32x4.sub(value, v128.and(above, i32x4.splat(Q)));
}
