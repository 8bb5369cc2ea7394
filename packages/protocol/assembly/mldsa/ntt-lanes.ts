/**
 * Factors and shuffles that both directions of the number-theoretic transform use.
 */
import { ZETAS } from './zetas';

/** The factor of a block in all four lanes; the table holds pairs of factor and quotient. */
@inline
export function zeta(index: i32): v128 {
  return v128.load32_splat(ZETAS + (<usize>index << 3));
}

/** The quotient of the factor, for Barrett's method. */
@inline
export function quotient(index: i32): v128 {
  return v128.load32_splat(ZETAS + (<usize>index << 3), 4);
}

@inline
export function lowHalves(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(a, b, 0, 2);
}

@inline
export function highHalves(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(a, b, 1, 3);
}

@inline
export function evenLanes(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 2, 4, 6);
}

@inline
export function oddLanes(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 1, 3, 5, 7);
}

@inline
export function lowPairs(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 4, 1, 5);
}

@inline
export function highPairs(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 2, 6, 3, 7);
}
