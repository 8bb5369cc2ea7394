/**
 * Bit packing of polynomials (FIPS 204, algorithms 16 to 19). Vector loads may read up to eleven
 * bytes past the packed form; those bytes never reach a coefficient. Offsets 4, 8, 12 … from a
 * polynomial are its second, third, fourth … coefficient.
 */
import { D, ETA, GAMMA1, POLY_BYTES } from './params';

/** z or y: 20 bits, gamma1 less the coefficient. */
export function unpackZ(source: usize, poly: usize): void {
  const end = poly + POLY_BYTES;
  if (ASC_FEATURE_SIMD) {
    const spread = i8x16(0, 1, 2, -1, 2, 3, 4, -1, 5, 6, 7, -1, 7, 8, 9, -1);
    const align = i32x4(16, 1, 16, 1), mask = i32x4.splat(0xfffff), gamma1 = i32x4.splat(GAMMA1);
    for (; poly < end; poly += 16, source += 10) {
      const bits = i32x4.mul(i8x16.swizzle(v128.load(source), spread), align);
      v128.store(poly, i32x4.sub(gamma1, v128.and(i32x4.shr_u(bits, 4), mask)));
    }
  } else {
    for (; poly < end; poly += 8, source += 5) {
      const bits = load<u64>(source);
      store<i32>(poly, GAMMA1 - <i32>(bits & 0xfffff));
      store<i32>(poly, GAMMA1 - <i32>((bits >> 20) & 0xfffff), 4);
    }
  }
}

export function packZ(poly: usize, out: usize): void {
  for (const end = poly + POLY_BYTES; poly < end; poly += 8, out += 5) {
    const bits = <u64>(GAMMA1 - load<i32>(poly)) | (<u64>(GAMMA1 - load<i32>(poly, 4)) << 20);
    store<u32>(out, <u32>bits);
    store<u8>(out, <u8>(bits >> 32), 4);
  }
}

/** t1: 10 bits; unpacked it is multiplied by 2^d, the only form in which it is used. */
export function unpackT1(source: usize, poly: usize): void {
  const end = poly + POLY_BYTES;
  if (ASC_FEATURE_SIMD) {
    const spread = i8x16(0, 1, -1, -1, 1, 2, -1, -1, 2, 3, -1, -1, 3, 4, -1, -1);
    for (; poly < end; poly += 16, source += 5) {
      const bits = i32x4.mul(i8x16.swizzle(v128.load(source), spread), i32x4(64, 16, 4, 1));
      v128.store(poly, v128.and(i32x4.shl(bits, 7), i32x4.splat(0x3ff << D)));
    }
  } else {
    for (; poly < end; poly += 16, source += 5) {
      const bits = load<u64>(source);
      store<i32>(poly, <i32>(bits & 0x3ff) << D);
      store<i32>(poly, <i32>((bits >> 10) & 0x3ff) << D, 4);
      store<i32>(poly, <i32>((bits >> 20) & 0x3ff) << D, 8);
      store<i32>(poly, <i32>((bits >> 30) & 0x3ff) << D, 12);
    }
  }
}

export function packT1(poly: usize, out: usize): void {
  for (const end = poly + POLY_BYTES; poly < end; poly += 16, out += 5) {
    const low = <u64>load<i32>(poly) | (<u64>load<i32>(poly, 4) << 10);
    const bits = low | (<u64>load<i32>(poly, 8) << 20) | (<u64>load<i32>(poly, 12) << 30);
    store<u32>(out, <u32>bits);
    store<u8>(out, <u8>(bits >> 32), 4);
  }
}

/** t0: 13 bits, 2^(d-1) less the coefficient; eight coefficients take 13 bytes. */
export function unpackT0(source: usize, poly: usize): void {
  const half: i32 = 1 << (D - 1);
  for (const end = poly + POLY_BYTES; poly < end; poly += 32, source += 13) {
    const low = load<u64>(source), high = load<u64>(source, 5) >> 12;
    store<i32>(poly, half - <i32>(low & 0x1fff));
    store<i32>(poly, half - <i32>((low >> 13) & 0x1fff), 4);
    store<i32>(poly, half - <i32>((low >> 26) & 0x1fff), 8);
    store<i32>(poly, half - <i32>((low >> 39) & 0x1fff), 12);
    store<i32>(poly, half - <i32>(high & 0x1fff), 16);
    store<i32>(poly, half - <i32>((high >> 13) & 0x1fff), 20);
    store<i32>(poly, half - <i32>((high >> 26) & 0x1fff), 24);
    store<i32>(poly, half - <i32>(high >> 39), 28);
  }
}

@inline
function t0Bits(poly: usize): u64 {
  const half: i32 = 1 << (D - 1);
  return (
    <u64>(half - load<i32>(poly)) |
    (<u64>(half - load<i32>(poly, 4)) << 13) |
    (<u64>(half - load<i32>(poly, 8)) << 26) |
    (<u64>(half - load<i32>(poly, 12)) << 39)
  );
}

export function packT0(poly: usize, out: usize): void {
  for (const end = poly + POLY_BYTES; poly < end; poly += 32, out += 13) {
    const low = t0Bits(poly), high = t0Bits(poly + 16);
    store<u64>(out, low | (high << 52));
    store<u32>(out, <u32>(high >> 12), 8);
    store<u8>(out, <u8>(high >> 44), 12);
  }
}

/** s1 and s2: 4 bits, eta less the coefficient. */
export function packEta(poly: usize, out: usize): void {
  for (const end = poly + POLY_BYTES; poly < end; poly += 8, out++) {
    store<u8>(out, <u8>((ETA - load<i32>(poly)) | ((ETA - load<i32>(poly, 4)) << 4)));
  }
}
