/**
 * What the kernel exports, typed in one place. Pointers are byte offsets into its memory.
 * A function that can fail on input returns 0 or an error number (`kernel-errors.ts`).
 */
export interface KernelExports {
  inPointer(): number;
  inBytes(): number;
  outPointer(): number;
  outBytes(): number;
  heapBase(): number;
}
