/**
 * The challenge times a polynomial of s1 or s2, without a transform: 49 coefficients of the challenge are 1 or -1, the
 * others are 0, so the product is a sum of 49 rotations of the short polynomial, each coefficient of which fits a byte.
 *
 * A table holds the short polynomial three times in bytes, as eta + s, eta - s and eta + s. Rotating a polynomial past
 * its end changes its sign, so that every rotation, and its negative, is 256 bytes in a row of the table. Nothing here
 * branches on a coefficient of the key; where in the table it reads depends on the challenge, as in `sample-ball.ts`.
 */
import { BETA, COEFFICIENT_BYTES, ETA, N, PACKED_ETA_BYTES, TAU } from './params';
import { ROTATIONS, ROTATION_SUMS } from './workspace';

/** The table of one polynomial. */
export const SHORT_TABLE_BYTES: usize = 768;
/** Where eta - s begins in a table, and the second eta + s. */
const NEGATIVE: usize = 256;
const SECOND_POSITIVE: usize = 512;
/** So many coefficients of 0 to 2 * eta fit a byte, 31; the other 18 of tau are summed by themselves. */
const SUMMED_FIRST: usize = 255 / (2 * ETA);
/** A place in the list of rotations. */
const PLACE_BYTES: usize = 4;
/** What is summed at once: eight vectors of sixteen bytes, or one word of eight. */
const HALF_BYTES: usize = 128;
const WORD_BYTES: usize = 8;

/** Packed, s1 and s2 are eta less the coefficient in 4 bits. False if a coefficient is out of its range. */
export function unpackShort(source: usize, table: usize): bool {
  if (ASC_FEATURE_SIMD) {
    let most = i8x16.splat(0);
    for (const end = source + PACKED_ETA_BYTES; source < end; source += 16, table += 32) {
      const pairs = v128.load(source);
      const even = v128.and(pairs, i8x16.splat(15)), odd = i8x16.shr_u(pairs, 4);
      most = i8x16.max_u(most, i8x16.max_u(even, odd));
      storeSixteen(table, i8x16.shuffle(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
      storeSixteen(table + 16, i8x16.shuffle(even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
    }
    return !v128.any_true(i8x16.gt_u(most, i8x16.splat(<i8>(2 * ETA))));
  }
  let over: i32 = 0;
  for (const end = source + PACKED_ETA_BYTES; source < end; source++, table += 2) {
    const even = <i32>load<u8>(source) & 15, odd = <i32>load<u8>(source) >> 4;
    over |= (2 * ETA - even) | (2 * ETA - odd);
    storeOne(table, even);
    storeOne(table + 1, odd);
  }
  return over >= 0;
}

@inline
function storeSixteen(table: usize, negative: v128): void {
  const positive = i8x16.sub(i8x16.splat(<i8>(2 * ETA)), negative);
  v128.store(table, positive);
  v128.store(table, negative, NEGATIVE);
  v128.store(table, positive, SECOND_POSITIVE);
}

@inline
function storeOne(table: usize, negative: i32): void {
  store<u8>(table, <u8>(2 * ETA - negative));
  store<u8>(table, <u8>negative, NEGATIVE);
  store<u8>(table, <u8>(2 * ETA - negative), SECOND_POSITIVE);
}

/** Lists where in a table the rotation of each coefficient of the challenge begins that is not zero. */
export function listRotations(challenge: usize): void {
  let at = ROTATIONS;
  for (let i: usize = 0; i < <usize>N; i++) {
    const coefficient = load<i32>(challenge + (i << 2));
    // -1 begins a rotation's negative, 256 bytes before the rotation itself.
    store<u32>(at, <u32>(SECOND_POSITIVE - i) - (<u32>(coefficient >> 31) & <u32>NEGATIVE));
    at += PLACE_BYTES * (<usize>coefficient & 1);
  }
}

/** Sums the listed rotations from one place of the list to another, in bytes. */
function sumRotations(table: usize, from: usize, to: usize, out: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let half: usize = 0; half < <usize>N; half += HALF_BYTES) {
      let a = i8x16.splat(0), b = i8x16.splat(0), c = i8x16.splat(0), d = i8x16.splat(0);
      let e = i8x16.splat(0), f = i8x16.splat(0), g = i8x16.splat(0), h = i8x16.splat(0);
      for (let place = from; place < to; place += PLACE_BYTES) {
        const rotation = table + half + <usize>load<u32>(place);
        a = i8x16.add(a, v128.load(rotation));
        b = i8x16.add(b, v128.load(rotation, 16));
        c = i8x16.add(c, v128.load(rotation, 32));
        d = i8x16.add(d, v128.load(rotation, 48));
        e = i8x16.add(e, v128.load(rotation, 64));
        f = i8x16.add(f, v128.load(rotation, 80));
        g = i8x16.add(g, v128.load(rotation, 96));
        h = i8x16.add(h, v128.load(rotation, 112));
      }
      v128.store(out + half, a);
      v128.store(out + half, b, 16);
      v128.store(out + half, c, 32);
      v128.store(out + half, d, 48);
      v128.store(out + half, e, 64);
      v128.store(out + half, f, 80);
      v128.store(out + half, g, 96);
      v128.store(out + half, h, 112);
    }
  } else {
    for (let word: usize = 0; word < <usize>N; word += WORD_BYTES) {
      let sum: u64 = 0;
      for (let place = from; place < to; place += PLACE_BYTES) sum += load<u64>(table + word + <usize>load<u32>(place));
      store<u64>(out + word, sum);
    }
  }
}

/** The challenge whose rotations are listed, times the polynomial of a table. */
export function shortProduct(out: usize, table: usize): void {
  const second = ROTATIONS + PLACE_BYTES * SUMMED_FIRST;
  sumRotations(table, ROTATIONS, second, ROTATION_SUMS);
  sumRotations(table, second, ROTATIONS + PLACE_BYTES * TAU, ROTATION_SUMS + N);
  // Each of tau rotations was summed with eta added to its coefficients.
  if (ASC_FEATURE_SIMD) {
    for (let k: usize = 0; k < <usize>N; k += 8, out += 32) {
      const sum = i16x8.add(v128.load_ext<u8>(ROTATION_SUMS + k), v128.load_ext<u8>(ROTATION_SUMS + k, N));
      const product = i16x8.sub(sum, i16x8.splat(<i16>BETA));
      v128.store(out, i32x4.extend_low_i16x8_s(product));
      v128.store(out, i32x4.extend_high_i16x8_s(product), 16);
    }
  } else {
    for (let k: usize = 0; k < <usize>N; k++, out += COEFFICIENT_BYTES) {
      store<i32>(out, <i32>load<u8>(ROTATION_SUMS + k) + <i32>load<u8>(ROTATION_SUMS + k, N) - BETA);
    }
  }
}
