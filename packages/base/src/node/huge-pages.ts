/**
 * Huge pages for large memories that are read at random: with pages of 4 KiB nearly every read waits for the processor to
 * find the page as well. Linux gives huge pages by itself on some machines and on request on others, so it is asked. It
 * may have none left: then everything works as before, only slower.
 */
import { foreignFunctions } from './foreign-functions.ts';

/** `MADV_HUGEPAGE` of Linux, the same number on all processors that we build for. */
const ADVICE = 14;
const SIGNATURES = {
  madvise: { arguments: ['pointer', 'uint64', 'int32'], return: 'int32' },
} as const;
const openSystem = () => foreignFunctions().dlopen(null, SIGNATURES).functions;
let opened: ReturnType<typeof openSystem> | undefined;

/** Opened once: each opening leaks some kilobytes. */
function system(): ReturnType<typeof openSystem> {
  opened ??= openSystem();
  return opened;
}

/** A request has to begin at a page; no processor that we build for has larger ones. */
const PAGE_BYTES_MAX = 65_536n;

/**
 * Asks for huge pages unless there are fewer bytes than it is worth asking for, and returns whether the request was taken.
 * Pages that were touched before stay as they are, so ask first and fill then.
 */
export function askForHugePages(memory: ArrayBufferLike, leastBytes: number): boolean {
  if (process.platform !== 'linux' || memory.byteLength < leastBytes) return false;
  try {
    const address = foreignFunctions().getRawPointer(new Uint8Array(memory));
    const start = (address + PAGE_BYTES_MAX - 1n) & -PAGE_BYTES_MAX;
    const end = (address + BigInt(memory.byteLength)) & -PAGE_BYTES_MAX;
    return start < end && system().madvise(start, end - start, ADVICE) === 0;
  } catch {
    return false; // This Node has no foreign functions, or may not use them.
  }
}
