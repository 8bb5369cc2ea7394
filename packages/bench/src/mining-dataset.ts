/**
 * A dataset in shared memory for the benchmarks of mining: pseudo-random words instead of the items that take minutes to
 * make, in huge pages as the miner has them. Hashes are wrong with it and cost what they cost with the real one, since the reads are as random.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { askForDatasetPages, type SharedDataset } from 'svc-mining/pow';
import { attachSharedPow, createSharedPow, type POW_SIZES, type pow } from 'svc-wasm/kernel';
import { fillWithWords } from './pow-subject.ts';

const KERNEL = fileURLToPath(import.meta.resolve('svc-wasm/svc.pow.wasm'));

export interface WordsDataset {
  readonly shared: SharedDataset;
  /** As this thread sees it. */
  readonly work: pow.PowDataset;
}

export function makeWordsDataset(sizes: (typeof POW_SIZES)[keyof typeof POW_SIZES]): WordsDataset {
  const module = new WebAssembly.Module(readFileSync(KERNEL));
  const memory = createSharedPow({ module, ...sizes });
  askForDatasetPages(memory.buffer);
  const work = attachSharedPow(memory, module, 0);
  fillWithWords(work.dataset);
  return { shared: { period: 0, memory, module, isLoaded: true }, work };
}
