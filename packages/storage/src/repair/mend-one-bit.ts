/**
 * Finds the one bit whose turning makes bytes fit their checksum again. A checksum of 32 bits differs for all single
 * turned bits of a record, so that the commonest kind of corruption can be undone locally. Of damage to
 * more bits about one in a hundred thousand is taken for a single bit in a block of four kilobytes: what was mended
 * has to be proven by something else too.
 */

/** Reflected polynomials: of the engine's files, and of records. */
export const CASTAGNOLI = 0x82f63b78;
export const IEEE = 0xedb88320;

/**
 * `difference` is the checksum of the bytes as they are, exclusive or the one that was stored for them. Returns the
 * number of the bit that was turned: of the bytes from their start on, and of the stored checksum after them.
 */
export function turnedBit(
  length: number,
  difference: number,
  polynomial: number,
): number | undefined {
  const wanted = difference >>> 0;
  for (let bit = 0; bit < 32; bit++) if (wanted === (1 << bit) >>> 0) return 8 * length + bit;
  // The effect of the last bit on the checksum; each step moves one bit towards the start.
  let effect = polynomial >>> 0;
  for (let bit = 8 * length - 1; bit >= 0; bit--) {
    if (effect === wanted) return bit;
    effect = ((effect >>> 1) ^ ((effect & 1) * polynomial)) >>> 0;
  }
  return undefined;
}

/** Turns one bit of a copy. */
export function withBitTurned(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}
