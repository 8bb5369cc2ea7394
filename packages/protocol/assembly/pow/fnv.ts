/**
 * The mixing step of Ethash: FNV's product and exclusive or, on words and on cache lines.
 */

@inline
export const FNV_PRIME: u32 = 0x01000193;

@inline
export function fnv(a: u32, b: u32): u32 {
  return (a * FNV_PRIME) ^ b;
}

/** The word at offset `at` as it will be when `line` has been mixed into `mix`. */
@inline
export function mixWord(mix: usize, line: usize, at: usize): u32 {
  return fnv(load<u32>(mix + at), load<u32>(line + at));
}

/** Mixes the 64 bytes at `line` into the 64 bytes at `mix`, in vectors of 16 bytes. */
@inline
export function mixLine(mix: usize, line: usize): void {
  mixVector(mix, line);
  mixVector(mix + 16, line + 16);
  mixVector(mix + 32, line + 32);
  mixVector(mix + 48, line + 48);
}

@inline
function mixVector(mix: usize, line: usize): void {
  if (ASC_FEATURE_SIMD) {
    const product = i32x4.mul(v128.load(mix), i32x4.splat(FNV_PRIME));
    v128.store(mix, v128.xor(product, v128.load(line)));
  } else {
    store<u32>(mix, fnv(load<u32>(mix), load<u32>(line)));
    store<u32>(mix, fnv(load<u32>(mix, 4), load<u32>(line, 4)), 4);
    store<u32>(mix, fnv(load<u32>(mix, 8), load<u32>(line, 8)), 8);
    store<u32>(mix, fnv(load<u32>(mix, 12), load<u32>(line, 12)), 12);
  }
}
