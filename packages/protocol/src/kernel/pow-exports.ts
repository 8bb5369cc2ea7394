/**
 * What `assembly/pow/exports.ts` exports, typed. Pointers are byte offsets into the memory.
 */
export interface PowExports {
  heapBase(): number;
  /** Uses a form of Keccak, an index of `KECCAK_FORMS`, in place of the one that the kernel chose. */
  keccakUseForm(form: number): void;
  powAttach(area: number, cache: number, cacheItems: number, dataset: number): void;
  powPages(pages: number): void;
  powInput(): number;
  powResult(): number;
  powTargets(): number;
  powMakeCache(): void;
  powItem(index: number, out: number): void;
  powItems(from: number, to: number, out: number): void;
  powLight(length: number): void;
  powFull(length: number): void;
  powSearch(counter: bigint, count: number): number;
  powSearchLight(counter: bigint, count: number): number;
}
