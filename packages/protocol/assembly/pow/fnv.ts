/**
 * The mixing step of Ethash: FNV's product and exclusive or, on words and on cache lines.
 */

const FNV_PRIME: u32 = 0x01000193;

// @ts-ignore: decorator
@inline
export function fnv(a: u32, b: u32): u32 {
  return (a * FNV_PRIME) ^ b;
}

/** Mixes the 64 bytes at `line` into the 64 bytes at `mix`. */
// @ts-ignore: decorator
@inline
export function mixLine(mix: usize, line: usize): void {
  if (ASC_FEATURE_SIMD) {
    const prime = i32x4.splat(<i32>FNV_PRIME);
    v128.store(mix, v128.xor(i32x4.mul(v128.load(mix), prime), v128.load(line)));
    v128.store(mix, v128.xor(i32x4.mul(v128.load(mix, 16), prime), v128.load(line, 16)), 16);
    v128.store(mix, v128.xor(i32x4.mul(v128.load(mix, 32), prime), v128.load(line, 32)), 32);
    v128.store(mix, v128.xor(i32x4.mul(v128.load(mix, 48), prime), v128.load(line, 48)), 48);
  } else {
    for (let at: usize = 0; at < 64; at += 8) {
      store<u32>(mix + at, fnv(load<u32>(mix + at), load<u32>(line + at)));
      store<u32>(mix + at, fnv(load<u32>(mix + at, 4), load<u32>(line + at, 4)), 4);
    }
  }
}
