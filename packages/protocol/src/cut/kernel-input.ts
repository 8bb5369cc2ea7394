/**
 * Offsets of the parts of a cut in the kernel's input when it checks a certificate.
 */

export const CHAIN_ID_AT = 0;
export const HEADER_AT = 64;
/** A u32 for each member of the set. */
export const SLOTS_AT = 640;
export const SET_AT = 1024;
export const CERTIFICATE_AT = 131_072;

/**
 * Writes bytes of any length to the kernel's input and returns how many the kernel is to see: one more
 * than a valid value has at most, so that it refuses what is longer and nothing is overrun.
 */
export function placeBytes(
  memory: Uint8Array,
  at: number,
  value: Uint8Array,
  most: number,
): number {
  const taken = value.subarray(0, most + 1);
  memory.set(taken, at);
  return taken.length;
}
