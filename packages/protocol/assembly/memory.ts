/**
 * The kernel's fixed memory: one region the host writes to, one it reads from. Nothing is ever
 * allocated; the host sizes the memory once, and what is above `heapBase` (expanded keys, proof
 * of work) is laid out by the host.
 */

/** Room for a certificate of 64 signatures, a validator set and a header in one call. */
export const IN_BYTES: i32 = 512 * 1024;
/** Room for the largest decoded table and the largest signature. */
export const OUT_BYTES: i32 = 64 * 1024;

export const IN: usize = memory.data(512 * 1024, 16);
export const OUT: usize = memory.data(64 * 1024, 16);

export function inPointer(): usize {
  return IN;
}

export function inBytes(): i32 {
  return IN_BYTES;
}

export function outPointer(): usize {
  return OUT;
}

export function outBytes(): i32 {
  return OUT_BYTES;
}

/** First byte the host may lay out; aligned to 64 KiB so that it starts on a page of its own. */
export function heapBase(): usize {
  return (__heap_base + 0xffff) & ~0xffff;
}
