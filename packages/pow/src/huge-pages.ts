/**
 * Huge pages for the memory of a dataset. A hash reads 64 places of two gigabytes; with pages of 4 KiB nearly every read
 * waits for the processor to find the page as well, which takes a third of a hash (ADR 0199). Linux gives huge pages by
 * itself on some machines and on request on others, so it is asked. It may have none left: then everything works as
 * before, only slower.
 */
import { foreignFunctions } from 'svc-base/node';

/** Smaller memories, such as those of development networks, gain too little to ask. */
const LEAST_BYTES = 64 << 20;
/** `MADV_HUGEPAGE` of Linux, the same number on all processors that we build for. */
const ADVICE = 14;
const SIGNATURES = {
  madvise: { arguments: ['pointer', 'uint64', 'int32'], return: 'int32' },
} as const;

/**
 * Asks for huge pages and tells whether the request was taken. Pages that were touched before stay as they are, so ask
 * first and fill then.
 */
export function askForHugePages(memory: ArrayBufferLike): boolean {
  if (process.platform !== 'linux' || memory.byteLength < LEAST_BYTES) return false;
  try {
    const { dlopen, getRawPointer } = foreignFunctions();
    const { functions } = dlopen(null, SIGNATURES);
    const address = getRawPointer(new Uint8Array(memory));
    return functions.madvise(address, BigInt(memory.byteLength), ADVICE) === 0;
  } catch {
    return false; // This Node has no foreign functions, or may not use them.
  }
}
