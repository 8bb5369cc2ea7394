/**
 * The number-theoretic transform of FIPS 204 (algorithms 41 and 42), two or four layers to a pass.
 * Coefficients are never reduced on the way: from |x| <= q the forward transform stays below 9q and
 * the inverse below 256q, which is below 2^31.
 */
import {
  FORWARD_VECTORS,
  INVERSE_VECTORS,
  SCALE,
  SCALE_QUOTIENT,
  SCALED_ZETA,
  SCALED_ZETA_QUOTIENT,
  ZETAS,
} from '../generated/mldsa-zetas';
import { multiplyKnown, multiplyKnownVector } from './reduce';

@inline
function zeta(index: i32): v128 {
  return v128.load32_splat(ZETAS + (<usize>index << 3));
}

@inline
function quotient(index: i32): v128 {
  return v128.load32_splat(ZETAS + (<usize>index << 3), 4);
}

/** Two layers over four quarters of a block; `block` counts blocks of the first layer from 1. */
@inline
function forwardTwoLayers(start: usize, quarter: usize, block: i32): void {
  const z1 = zeta(block), q1 = quotient(block);
  const z2 = zeta(2 * block), q2 = quotient(2 * block);
  const z3 = zeta(2 * block + 1), q3 = quotient(2 * block + 1);
  for (let at: usize = start, end: usize = start + quarter; at < end; at += 16) {
    let a = v128.load(at), b = v128.load(at + quarter);
    let c = v128.load(at + 2 * quarter), d = v128.load(at + 3 * quarter);
    let t = multiplyKnownVector(c, z1, q1), u = multiplyKnownVector(d, z1, q1);
    c = i32x4.sub(a, t);
    a = i32x4.add(a, t);
    d = i32x4.sub(b, u);
    b = i32x4.add(b, u);
    t = multiplyKnownVector(b, z2, q2);
    u = multiplyKnownVector(d, z3, q3);
    v128.store(at, i32x4.add(a, t));
    v128.store(at + quarter, i32x4.sub(a, t));
    v128.store(at + 2 * quarter, i32x4.add(c, u));
    v128.store(at + 3 * quarter, i32x4.sub(c, u));
  }
}

/** The layers of length 8, 4, 2 and 1 over sixteen coefficients held in four vectors. */
@inline
function forwardInnerLayers(at: usize, block: i32, factors: usize): void {
  let a = v128.load(at), b = v128.load(at, 16), c = v128.load(at, 32), d = v128.load(at, 48);
  const z = zeta(16 + block), q = quotient(16 + block);
  let t = multiplyKnownVector(c, z, q), u = multiplyKnownVector(d, z, q);
  c = i32x4.sub(a, t);
  a = i32x4.add(a, t);
  d = i32x4.sub(b, u);
  b = i32x4.add(b, u);
  t = multiplyKnownVector(b, zeta(32 + 2 * block), quotient(32 + 2 * block));
  u = multiplyKnownVector(d, zeta(33 + 2 * block), quotient(33 + 2 * block));
  b = i32x4.sub(a, t);
  a = i32x4.add(a, t);
  d = i32x4.sub(c, u);
  c = i32x4.add(c, u);

  let x = v128.shuffle<i64>(a, b, 0, 2), y = v128.shuffle<i64>(a, b, 1, 3);
  let v = v128.shuffle<i64>(c, d, 0, 2), w = v128.shuffle<i64>(c, d, 1, 3);
  t = multiplyKnownVector(y, v128.load(factors), v128.load(factors, 16));
  u = multiplyKnownVector(w, v128.load(factors, 32), v128.load(factors, 48));
  y = i32x4.sub(x, t);
  x = i32x4.add(x, t);
  w = i32x4.sub(v, u);
  v = i32x4.add(v, u);

  a = v128.shuffle<i32>(x, y, 0, 2, 4, 6);
  b = v128.shuffle<i32>(x, y, 1, 3, 5, 7);
  c = v128.shuffle<i32>(v, w, 0, 2, 4, 6);
  d = v128.shuffle<i32>(v, w, 1, 3, 5, 7);
  t = multiplyKnownVector(b, v128.load(factors, 64), v128.load(factors, 80));
  u = multiplyKnownVector(d, v128.load(factors, 96), v128.load(factors, 112));
  b = i32x4.sub(a, t);
  a = i32x4.add(a, t);
  d = i32x4.sub(c, u);
  c = i32x4.add(c, u);

  x = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  y = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  v = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  w = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(at, v128.shuffle<i64>(x, y, 0, 2));
  v128.store(at, v128.shuffle<i64>(x, y, 1, 3), 16);
  v128.store(at, v128.shuffle<i64>(v, w, 0, 2), 32);
  v128.store(at, v128.shuffle<i64>(v, w, 1, 3), 48);
}

function forwardScalar(poly: usize): void {
  let factor: usize = ZETAS;
  for (let length: usize = 512; length >= 4; length >>= 1) {
    for (let block: usize = poly, blocks: usize = poly + 1024; block < blocks; block += 2 * length) {
      factor += 8;
      const z = load<i32>(factor), q = load<i32>(factor, 4);
      for (let at: usize = block, end: usize = block + length; at < end; at += 4) {
        const t = multiplyKnown(load<i32>(at + length), z, q), a = load<i32>(at);
        store<i32>(at + length, a - t);
        store<i32>(at, a + t);
      }
    }
  }
}

export function transform(poly: usize): void {
  if (ASC_FEATURE_SIMD) {
    forwardTwoLayers(poly, 256, 1);
    for (let k: i32 = 0; k < 4; k++) forwardTwoLayers(poly + (<usize>k << 8), 64, 4 + k);
    for (let k: i32 = 0; k < 16; k++) {
      forwardInnerLayers(poly + (<usize>k << 6), k, FORWARD_VECTORS + (<usize>k << 7));
    }
  } else {
    forwardScalar(poly);
  }
}

/** The layers of length 1, 2, 4 and 8 over sixteen coefficients held in four vectors. */
@inline
function inverseInnerLayers(at: usize, block: i32, factors: usize): void {
  let a = v128.load(at), b = v128.load(at, 16), c = v128.load(at, 32), d = v128.load(at, 48);
  let x = v128.shuffle<i64>(a, b, 0, 2), y = v128.shuffle<i64>(a, b, 1, 3);
  let v = v128.shuffle<i64>(c, d, 0, 2), w = v128.shuffle<i64>(c, d, 1, 3);
  a = v128.shuffle<i32>(x, y, 0, 2, 4, 6);
  b = v128.shuffle<i32>(x, y, 1, 3, 5, 7);
  c = v128.shuffle<i32>(v, w, 0, 2, 4, 6);
  d = v128.shuffle<i32>(v, w, 1, 3, 5, 7);
  let t = multiplyKnownVector(i32x4.sub(b, a), v128.load(factors), v128.load(factors, 16));
  let u = multiplyKnownVector(i32x4.sub(d, c), v128.load(factors, 32), v128.load(factors, 48));
  a = i32x4.add(a, b);
  c = i32x4.add(c, d);

  x = v128.shuffle<i32>(a, t, 0, 4, 1, 5);
  y = v128.shuffle<i32>(a, t, 2, 6, 3, 7);
  v = v128.shuffle<i32>(c, u, 0, 4, 1, 5);
  w = v128.shuffle<i32>(c, u, 2, 6, 3, 7);
  t = multiplyKnownVector(i32x4.sub(y, x), v128.load(factors, 64), v128.load(factors, 80));
  u = multiplyKnownVector(i32x4.sub(w, v), v128.load(factors, 96), v128.load(factors, 112));
  x = i32x4.add(x, y);
  v = i32x4.add(v, w);

  a = v128.shuffle<i64>(x, t, 0, 2);
  b = v128.shuffle<i64>(x, t, 1, 3);
  c = v128.shuffle<i64>(v, u, 0, 2);
  d = v128.shuffle<i64>(v, u, 1, 3);
  t = multiplyKnownVector(i32x4.sub(b, a), zeta(63 - 2 * block), quotient(63 - 2 * block));
  u = multiplyKnownVector(i32x4.sub(d, c), zeta(62 - 2 * block), quotient(62 - 2 * block));
  a = i32x4.add(a, b);
  c = i32x4.add(c, d);

  const z = zeta(31 - block), q = quotient(31 - block);
  v128.store(at, i32x4.add(a, c));
  v128.store(at, i32x4.add(t, u), 16);
  v128.store(at, multiplyKnownVector(i32x4.sub(c, a), z, q), 32);
  v128.store(at, multiplyKnownVector(i32x4.sub(u, t), z, q), 48);
}

/** The layers of length 16 and 32 over one block of 64 coefficients. */
@inline
function inverseMiddleLayers(start: usize, block: i32): void {
  const z1 = zeta(15 - 2 * block), q1 = quotient(15 - 2 * block);
  const z2 = zeta(14 - 2 * block), q2 = quotient(14 - 2 * block);
  const z3 = zeta(7 - block), q3 = quotient(7 - block);
  for (let at: usize = start, end: usize = start + 64; at < end; at += 16) {
    let a = v128.load(at), b = v128.load(at, 64), c = v128.load(at, 128), d = v128.load(at, 192);
    const t = multiplyKnownVector(i32x4.sub(b, a), z1, q1);
    const u = multiplyKnownVector(i32x4.sub(d, c), z2, q2);
    a = i32x4.add(a, b);
    c = i32x4.add(c, d);
    v128.store(at, i32x4.add(a, c));
    v128.store(at, i32x4.add(t, u), 64);
    v128.store(at, multiplyKnownVector(i32x4.sub(c, a), z3, q3), 128);
    v128.store(at, multiplyKnownVector(i32x4.sub(u, t), z3, q3), 192);
  }
}

/** The layers of length 64 and 128 and the final factor. */
@inline
function inverseOuterLayers(poly: usize): void {
  const z1 = zeta(3), q1 = quotient(3), z2 = zeta(2), q2 = quotient(2);
  const z3 = i32x4.splat(SCALED_ZETA), q3 = i32x4.splat(SCALED_ZETA_QUOTIENT);
  const scale = i32x4.splat(SCALE), scaleQuotient = i32x4.splat(SCALE_QUOTIENT);
  for (let at: usize = poly, end: usize = poly + 256; at < end; at += 16) {
    let a = v128.load(at), b = v128.load(at, 256), c = v128.load(at, 512), d = v128.load(at, 768);
    const t = multiplyKnownVector(i32x4.sub(b, a), z1, q1);
    const u = multiplyKnownVector(i32x4.sub(d, c), z2, q2);
    a = i32x4.add(a, b);
    c = i32x4.add(c, d);
    v128.store(at, multiplyKnownVector(i32x4.add(a, c), scale, scaleQuotient));
    v128.store(at, multiplyKnownVector(i32x4.add(t, u), scale, scaleQuotient), 256);
    v128.store(at, multiplyKnownVector(i32x4.sub(c, a), z3, q3), 512);
    v128.store(at, multiplyKnownVector(i32x4.sub(u, t), z3, q3), 768);
  }
}

function inverseScalar(poly: usize): void {
  let factor: usize = ZETAS + 2048;
  for (let length: usize = 4; length < 512; length <<= 1) {
    for (let block: usize = poly, blocks: usize = poly + 1024; block < blocks; block += 2 * length) {
      factor -= 8;
      const z = load<i32>(factor), q = load<i32>(factor, 4);
      for (let at: usize = block, end: usize = block + length; at < end; at += 4) {
        const a = load<i32>(at), b = load<i32>(at + length);
        store<i32>(at, a + b);
        store<i32>(at + length, multiplyKnown(b - a, z, q));
      }
    }
  }
  for (let at: usize = poly, end: usize = poly + 512; at < end; at += 4) {
    const a = load<i32>(at), b = load<i32>(at, 512);
    store<i32>(at, multiplyKnown(a + b, SCALE, SCALE_QUOTIENT));
    store<i32>(at, multiplyKnown(b - a, SCALED_ZETA, SCALED_ZETA_QUOTIENT), 512);
  }
}

/** Undoes `transform` and multiplies by 2^32, which a Montgomery product before it has divided out. */
export function inverseTransform(poly: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let k: i32 = 0; k < 16; k++) {
      inverseInnerLayers(poly + (<usize>k << 6), k, INVERSE_VECTORS + (<usize>k << 7));
    }
    for (let k: i32 = 0; k < 4; k++) inverseMiddleLayers(poly + (<usize>k << 8), k);
    inverseOuterLayers(poly);
  } else {
    inverseScalar(poly);
  }
}
