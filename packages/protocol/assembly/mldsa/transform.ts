/**
 * The number-theoretic transform of FIPS 204 (algorithm 41), two or four layers to a pass and two
 * blocks at a time, so that one block's multiplications run while the other's are waited for.
 * Coefficients are never reduced on the way: from |x| <= q they stay below 9q. A vector is four
 * coefficients in 16 bytes, so that offset 16 * i from a block is its i-th vector; FORWARD_VECTORS
 * holds, for two blocks of 16 coefficients, factors at 0, 32, … and their quotients 16 bytes behind.
 */
import { evenLanes, highHalves, highPairs, lowHalves, lowPairs, oddLanes, quotient, zeta } from './ntt-lanes';
import { multiplyKnown, multiplyKnownVector } from './reduce';
import { FORWARD_VECTORS, ZETAS } from './zetas';

/** Undoes `lowHalves` and `highHalves`, then `evenLanes` and `oddLanes`, and stores 8 coefficients. */
@inline
function storeInOrder(at: usize, even: v128, odd: v128): void {
  const low = lowPairs(even, odd), high = highPairs(even, odd);
  v128.store(at, lowHalves(low, high));
  v128.store(at, highHalves(low, high), 16);
}

/**
 * Two layers over the four quarters of a block, eight coefficients of each at a time; `block` counts
 * the blocks of the first layer from 1.
 */
@inline
function forwardTwoLayers(start: usize, quarter: usize, block: i32): void {
  const z1 = zeta(block), q1 = quotient(block);
  const z2 = zeta(2 * block), q2 = quotient(2 * block);
  const z3 = zeta(2 * block + 1), q3 = quotient(2 * block + 1);
  for (let first: usize = start, end: usize = start + quarter; first < end; first += 32) {
    const second = first + quarter, third = first + 2 * quarter, fourth = first + 3 * quarter;
    let a = v128.load(first), b = v128.load(second), c = v128.load(third), d = v128.load(fourth);
    let e = v128.load(first, 16), f = v128.load(second, 16);
    let g = v128.load(third, 16), h = v128.load(fourth, 16);
    let t = multiplyKnownVector(c, z1, q1), u = multiplyKnownVector(d, z1, q1);
    let v = multiplyKnownVector(g, z1, q1), w = multiplyKnownVector(h, z1, q1);
    c = i32x4.sub(a, t);
    a = i32x4.add(a, t);
    d = i32x4.sub(b, u);
    b = i32x4.add(b, u);
    g = i32x4.sub(e, v);
    e = i32x4.add(e, v);
    h = i32x4.sub(f, w);
    f = i32x4.add(f, w);
    t = multiplyKnownVector(b, z2, q2);
    u = multiplyKnownVector(d, z3, q3);
    v = multiplyKnownVector(f, z2, q2);
    w = multiplyKnownVector(h, z3, q3);
    v128.store(first, i32x4.add(a, t));
    v128.store(first, i32x4.add(e, v), 16);
    v128.store(second, i32x4.sub(a, t));
    v128.store(second, i32x4.sub(e, v), 16);
    v128.store(third, i32x4.add(c, u));
    v128.store(third, i32x4.add(g, w), 16);
    v128.store(fourth, i32x4.sub(c, u));
    v128.store(fourth, i32x4.sub(g, w), 16);
  }
}

/** The layers of length 8, 4, 2 and 1 over the blocks `block` and `block + 1` of 16 coefficients. */
@inline
function forwardInnerLayers(at: usize, block: i32, factors: usize): void {
  let a = v128.load(at), b = v128.load(at, 16), c = v128.load(at, 32), d = v128.load(at, 48);
  let e = v128.load(at, 64), f = v128.load(at, 80), g = v128.load(at, 96), h = v128.load(at, 112);
  const z1 = zeta(16 + block), q1 = quotient(16 + block);
  const z2 = zeta(17 + block), q2 = quotient(17 + block);
  let t = multiplyKnownVector(c, z1, q1), u = multiplyKnownVector(d, z1, q1);
  let v = multiplyKnownVector(g, z2, q2), w = multiplyKnownVector(h, z2, q2);
  c = i32x4.sub(a, t);
  a = i32x4.add(a, t);
  d = i32x4.sub(b, u);
  b = i32x4.add(b, u);
  g = i32x4.sub(e, v);
  e = i32x4.add(e, v);
  h = i32x4.sub(f, w);
  f = i32x4.add(f, w);
  t = multiplyKnownVector(b, zeta(32 + 2 * block), quotient(32 + 2 * block));
  u = multiplyKnownVector(d, zeta(33 + 2 * block), quotient(33 + 2 * block));
  v = multiplyKnownVector(f, zeta(34 + 2 * block), quotient(34 + 2 * block));
  w = multiplyKnownVector(h, zeta(35 + 2 * block), quotient(35 + 2 * block));
  b = i32x4.sub(a, t);
  a = i32x4.add(a, t);
  d = i32x4.sub(c, u);
  c = i32x4.add(c, u);
  f = i32x4.sub(e, v);
  e = i32x4.add(e, v);
  h = i32x4.sub(g, w);
  g = i32x4.add(g, w);

  const a2 = lowHalves(a, b), b2 = highHalves(a, b), c2 = lowHalves(c, d), d2 = highHalves(c, d);
  const e2 = lowHalves(e, f), f2 = highHalves(e, f), g2 = lowHalves(g, h), h2 = highHalves(g, h);
  t = multiplyKnownVector(b2, v128.load(factors), v128.load(factors, 16));
  u = multiplyKnownVector(d2, v128.load(factors, 32), v128.load(factors, 48));
  v = multiplyKnownVector(f2, v128.load(factors, 128), v128.load(factors, 144));
  w = multiplyKnownVector(h2, v128.load(factors, 160), v128.load(factors, 176));
  b = i32x4.sub(a2, t);
  a = i32x4.add(a2, t);
  d = i32x4.sub(c2, u);
  c = i32x4.add(c2, u);
  f = i32x4.sub(e2, v);
  e = i32x4.add(e2, v);
  h = i32x4.sub(g2, w);
  g = i32x4.add(g2, w);

  const a1 = evenLanes(a, b), b1 = oddLanes(a, b), c1 = evenLanes(c, d), d1 = oddLanes(c, d);
  const e1 = evenLanes(e, f), f1 = oddLanes(e, f), g1 = evenLanes(g, h), h1 = oddLanes(g, h);
  t = multiplyKnownVector(b1, v128.load(factors, 64), v128.load(factors, 80));
  u = multiplyKnownVector(d1, v128.load(factors, 96), v128.load(factors, 112));
  v = multiplyKnownVector(f1, v128.load(factors, 192), v128.load(factors, 208));
  w = multiplyKnownVector(h1, v128.load(factors, 224), v128.load(factors, 240));
  storeInOrder(at, i32x4.add(a1, t), i32x4.sub(a1, t));
  storeInOrder(at + 32, i32x4.add(c1, u), i32x4.sub(c1, u));
  storeInOrder(at + 64, i32x4.add(e1, v), i32x4.sub(e1, v));
  storeInOrder(at + 96, i32x4.add(g1, w), i32x4.sub(g1, w));
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
    for (let k: i32 = 0; k < 16; k += 2) {
      forwardInnerLayers(poly + (<usize>k << 6), k, FORWARD_VECTORS + (<usize>k << 7));
    }
  } else {
    forwardScalar(poly);
  }
}
