/** Bits of tree keys, counted from the highest bit of the first byte. */
export const KEY_BYTES = 64;
export const KEY_BITS = 512;

export function bitAt(key: Uint8Array, bit: number, offset = 0): number {
  return ((key[offset + (bit >> 3)] as number) >> (7 - (bit & 7))) & 1;
}

/** The first bit below `limit` in which two keys differ, or `limit`. */
export function firstDifference(
  a: Uint8Array,
  b: Uint8Array,
  limit: number,
  aOffset = 0,
  bOffset = 0,
): number {
  const bytes = (limit + 7) >> 3;
  for (let i = 0; i < bytes; i++) {
    const difference = (a[aOffset + i] as number) ^ (b[bOffset + i] as number);
    if (difference !== 0) return Math.min(limit, i * 8 + Math.clz32(difference) - 24);
  }
  return limit;
}

/** Writes the first `bits` bits of the key at `from`, the rest of the key zero. */
export function writePrefix(
  key: Uint8Array,
  from: number,
  bits: number,
  target: Uint8Array,
  to: number,
): void {
  const whole = bits >> 3;
  for (let i = 0; i < whole; i++) target[to + i] = key[from + i] as number;
  target.fill(0, to + whole, to + KEY_BYTES);
  const rest = bits & 7;
  if (rest !== 0) target[to + whole] = (key[from + whole] as number) & (0xff00 >> rest);
}
