/**
 * The kernel's exports, one line for each part. See `docs/kernel.md` for the calling convention.
 */
export { heapBase, inBytes, inPointer, outBytes, outPointer } from './memory';
