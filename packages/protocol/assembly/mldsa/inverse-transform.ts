/**
 * The inverse number-theoretic transform (FIPS 204, algorithm 42), arranged as the forward one is.
 * Coefficients are never reduced on the way: from |x| <= q they stay below 256q, which is below 2^31.
 * Offsets are those of the forward transform: 16 bytes for a vector of four coefficients.
 */
import { SCALE, SCALE_QUOTIENT, SCALED_ZETA, SCALED_ZETA_QUOTIENT } from '../generated/mldsa-constants';
import { evenLanes, highHalves, highPairs, lowHalves, lowPairs, oddLanes, quotient, zeta } from './ntt-lanes';
import { multiplyKnown, multiplyKnownVector } from './reduce';
import { INVERSE_VECTORS, ZETAS } from './zetas';

/** The layers of length 1, 2, 4 and 8 over the blocks `block` and `block + 1` of 16 coefficients. */
@inline
function inverseInnerLayers(at: usize, block: i32, factors: usize): void {
  let a = v128.load(at), b = v128.load(at, 16), c = v128.load(at, 32), d = v128.load(at, 48);
  let e = v128.load(at, 64), f = v128.load(at, 80), g = v128.load(at, 96), h = v128.load(at, 112);
  let t = lowHalves(a, b), u = lowHalves(c, d), v = lowHalves(e, f), w = lowHalves(g, h);
  b = highHalves(a, b);
  d = highHalves(c, d);
  f = highHalves(e, f);
  h = highHalves(g, h);
  const a1 = evenLanes(t, b), b1 = oddLanes(t, b), c1 = evenLanes(u, d), d1 = oddLanes(u, d);
  const e1 = evenLanes(v, f), f1 = oddLanes(v, f), g1 = evenLanes(w, h), h1 = oddLanes(w, h);
  t = multiplyKnownVector(i32x4.sub(b1, a1), v128.load(factors), v128.load(factors, 16));
  u = multiplyKnownVector(i32x4.sub(d1, c1), v128.load(factors, 32), v128.load(factors, 48));
  v = multiplyKnownVector(i32x4.sub(f1, e1), v128.load(factors, 128), v128.load(factors, 144));
  w = multiplyKnownVector(i32x4.sub(h1, g1), v128.load(factors, 160), v128.load(factors, 176));
  a = i32x4.add(a1, b1);
  c = i32x4.add(c1, d1);
  e = i32x4.add(e1, f1);
  g = i32x4.add(g1, h1);

  const a2 = lowPairs(a, t), b2 = highPairs(a, t), c2 = lowPairs(c, u), d2 = highPairs(c, u);
  const e2 = lowPairs(e, v), f2 = highPairs(e, v), g2 = lowPairs(g, w), h2 = highPairs(g, w);
  t = multiplyKnownVector(i32x4.sub(b2, a2), v128.load(factors, 64), v128.load(factors, 80));
  u = multiplyKnownVector(i32x4.sub(d2, c2), v128.load(factors, 96), v128.load(factors, 112));
  v = multiplyKnownVector(i32x4.sub(f2, e2), v128.load(factors, 192), v128.load(factors, 208));
  w = multiplyKnownVector(i32x4.sub(h2, g2), v128.load(factors, 224), v128.load(factors, 240));
  a = i32x4.add(a2, b2);
  c = i32x4.add(c2, d2);
  e = i32x4.add(e2, f2);
  g = i32x4.add(g2, h2);

  const a4 = lowHalves(a, t), b4 = highHalves(a, t), c4 = lowHalves(c, u), d4 = highHalves(c, u);
  const e4 = lowHalves(e, v), f4 = highHalves(e, v), g4 = lowHalves(g, w), h4 = highHalves(g, w);
  t = multiplyKnownVector(i32x4.sub(b4, a4), zeta(63 - 2 * block), quotient(63 - 2 * block));
  u = multiplyKnownVector(i32x4.sub(d4, c4), zeta(62 - 2 * block), quotient(62 - 2 * block));
  v = multiplyKnownVector(i32x4.sub(f4, e4), zeta(61 - 2 * block), quotient(61 - 2 * block));
  w = multiplyKnownVector(i32x4.sub(h4, g4), zeta(60 - 2 * block), quotient(60 - 2 * block));
  a = i32x4.add(a4, b4);
  c = i32x4.add(c4, d4);
  e = i32x4.add(e4, f4);
  g = i32x4.add(g4, h4);

  const z1 = zeta(31 - block), q1 = quotient(31 - block);
  const z2 = zeta(30 - block), q2 = quotient(30 - block);
  v128.store(at, i32x4.add(a, c));
  v128.store(at, i32x4.add(t, u), 16);
  v128.store(at, multiplyKnownVector(i32x4.sub(c, a), z1, q1), 32);
  v128.store(at, multiplyKnownVector(i32x4.sub(u, t), z1, q1), 48);
  v128.store(at, i32x4.add(e, g), 64);
  v128.store(at, i32x4.add(v, w), 80);
  v128.store(at, multiplyKnownVector(i32x4.sub(g, e), z2, q2), 96);
  v128.store(at, multiplyKnownVector(i32x4.sub(w, v), z2, q2), 112);
}

/** The layers of length 16 and 32 over one block of 64 coefficients. */
@inline
function inverseMiddleLayers(start: usize, block: i32): void {
  const z1 = zeta(15 - 2 * block), q1 = quotient(15 - 2 * block);
  const z2 = zeta(14 - 2 * block), q2 = quotient(14 - 2 * block);
  const z3 = zeta(7 - block), q3 = quotient(7 - block);
  for (let at: usize = start, end: usize = start + 64; at < end; at += 32) {
    let a = v128.load(at), b = v128.load(at, 64), c = v128.load(at, 128), d = v128.load(at, 192);
    let e = v128.load(at, 16), f = v128.load(at, 80), g = v128.load(at, 144), h = v128.load(at, 208);
    const t = multiplyKnownVector(i32x4.sub(b, a), z1, q1);
    const u = multiplyKnownVector(i32x4.sub(d, c), z2, q2);
    const v = multiplyKnownVector(i32x4.sub(f, e), z1, q1);
    const w = multiplyKnownVector(i32x4.sub(h, g), z2, q2);
    a = i32x4.add(a, b);
    c = i32x4.add(c, d);
    e = i32x4.add(e, f);
    g = i32x4.add(g, h);
    v128.store(at, i32x4.add(a, c));
    v128.store(at, i32x4.add(e, g), 16);
    v128.store(at, i32x4.add(t, u), 64);
    v128.store(at, i32x4.add(v, w), 80);
    v128.store(at, multiplyKnownVector(i32x4.sub(c, a), z3, q3), 128);
    v128.store(at, multiplyKnownVector(i32x4.sub(g, e), z3, q3), 144);
    v128.store(at, multiplyKnownVector(i32x4.sub(u, t), z3, q3), 192);
    v128.store(at, multiplyKnownVector(i32x4.sub(w, v), z3, q3), 208);
  }
}

/** The layers of length 64 and 128 and the final factor. */
@inline
function inverseOuterLayers(poly: usize): void {
  const z1 = zeta(3), q1 = quotient(3), z2 = zeta(2), q2 = quotient(2);
  const z3 = i32x4.splat(SCALED_ZETA), q3 = i32x4.splat(SCALED_ZETA_QUOTIENT);
  const scale = i32x4.splat(SCALE), scaleQuotient = i32x4.splat(SCALE_QUOTIENT);
  for (let at: usize = poly, end: usize = poly + 256; at < end; at += 32) {
    let a = v128.load(at), b = v128.load(at, 256), c = v128.load(at, 512), d = v128.load(at, 768);
    let e = v128.load(at, 16), f = v128.load(at, 272), g = v128.load(at, 528), h = v128.load(at, 784);
    const t = multiplyKnownVector(i32x4.sub(b, a), z1, q1);
    const u = multiplyKnownVector(i32x4.sub(d, c), z2, q2);
    const v = multiplyKnownVector(i32x4.sub(f, e), z1, q1);
    const w = multiplyKnownVector(i32x4.sub(h, g), z2, q2);
    a = i32x4.add(a, b);
    c = i32x4.add(c, d);
    e = i32x4.add(e, f);
    g = i32x4.add(g, h);
    v128.store(at, multiplyKnownVector(i32x4.add(a, c), scale, scaleQuotient));
    v128.store(at, multiplyKnownVector(i32x4.add(e, g), scale, scaleQuotient), 16);
    v128.store(at, multiplyKnownVector(i32x4.add(t, u), scale, scaleQuotient), 256);
    v128.store(at, multiplyKnownVector(i32x4.add(v, w), scale, scaleQuotient), 272);
    v128.store(at, multiplyKnownVector(i32x4.sub(c, a), z3, q3), 512);
    v128.store(at, multiplyKnownVector(i32x4.sub(g, e), z3, q3), 528);
    v128.store(at, multiplyKnownVector(i32x4.sub(u, t), z3, q3), 768);
    v128.store(at, multiplyKnownVector(i32x4.sub(w, v), z3, q3), 784);
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
    for (let k: i32 = 0; k < 16; k += 2) {
      inverseInnerLayers(poly + (<usize>k << 6), k, INVERSE_VECTORS + (<usize>k << 7));
    }
    for (let k: i32 = 0; k < 4; k++) inverseMiddleLayers(poly + (<usize>k << 8), k);
    inverseOuterLayers(poly);
  } else {
    inverseScalar(poly);
  }
}
