/**
 * The proof of work `SVC_POW_V1` (`docs/protocol.md` 7) for one thread: caches, datasets and their
 * hashes. Input and sizes are the caller's, so Ethash's own give Ethash's own results.
 * `pow-search.ts` looks for nonces, `pow-threads.ts` shares one dataset between threads.
 */
import { expectBytes } from '../base/bytes.ts';
import { expectInteger } from '../base/integer.ts';
import { SvcError } from '../base/svc-error.ts';
import { kernel } from './current.ts';
import { type KeccakForm, keccakFormNumber } from './keccak-form.ts';
import { instantiate, newMemory, probeHeapBase } from './pow-instance.ts';
import { expectCacheBytes, expectDatasetBytes, powLayout } from './pow-layout.ts';
import { expectWork, type PowHash, PowMemory } from './pow-memory.ts';
import {
  POW_DATASET_BYTES_MAX,
  POW_INPUT_BYTES_MAX,
  POW_ITEM_BYTES,
  POW_PAGE_BYTES,
  POW_SEED_BYTES,
} from './pow-parameters.ts';

export type { PowHash } from './pow-memory.ts';
export { type PowHit, type PowSearch, type PowSearchResult, search } from './pow-search.ts';

/** A memory with a cache: enough for light hashes. */
export type PowCache = PowMemory;
/** A memory with a cache and room for a dataset. */
export type PowDataset = PowMemory;

export interface ModuleOptions {
  /** Another build of the kernel than the one that `init` chose. */
  readonly module?: WebAssembly.Module;
  /** Another form of Keccak than the one that the kernel chose. */
  readonly keccak?: KeccakForm;
}

export interface FillOptions {
  /** Called after every part of the work with the number of items made and to be made. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Items between two reports of progress: about a third of a second. */
const FILL_STEP = 32_768;

function newPowMemory(
  options: ModuleOptions | null | undefined,
  cacheBytes: number,
  datasetBytes: number,
): PowMemory {
  const module = options?.module ?? kernel().module;
  const keccak = options?.keccak;
  const layout = powLayout(probeHeapBase(module, false), cacheBytes, datasetBytes, 1);
  const memory = newMemory(layout.wasmPages, false);
  const exports = instantiate(module, memory);
  if (keccak !== undefined) exports.keccakUseForm(keccakFormNumber(keccak));
  return new PowMemory(exports, memory, layout, 0);
}

/** Makes the cache of a 32-byte seed in a memory of its own. */
export function makeCache(seed: Uint8Array, cacheBytes: number, options?: ModuleOptions): PowCache {
  const taken = expectBytes(seed, 'seed', POW_SEED_BYTES);
  expectCacheBytes(cacheBytes);
  const cache = newPowMemory(options, cacheBytes, 0);
  fillCache(cache, taken);
  return cache;
}

/** Makes the cache of a seed in a memory that is there already. */
export function fillCache(cache: PowCache, seed: Uint8Array): void {
  expectWork(cache, 'cache').writeInput(expectBytes(seed, 'seed', POW_SEED_BYTES));
  cache.invoke((exports) => exports.powMakeCache());
}

/** A copy of the cache with room for a dataset, to be filled by `fillDataset` or from a file. */
export function allocateDataset(
  cache: PowCache,
  datasetBytes: number,
  options?: ModuleOptions,
): PowDataset {
  expectDatasetBytes(datasetBytes);
  const { cacheBytes } = expectWork(cache, 'cache').layout;
  const dataset = newPowMemory(options, cacheBytes, datasetBytes);
  dataset.cache.set(cache.cache);
  return dataset;
}

/** Makes dataset items `from` to `to - 1`; several threads may fill one shared dataset. */
export function fillDataset(
  dataset: PowDataset,
  from: number,
  to: number,
  options?: FillOptions,
): void {
  const items = expectDataset(dataset) / POW_ITEM_BYTES;
  const { datasetAt } = dataset.layout;
  expectInteger(to, 'to', 0, items);
  expectInteger(from, 'from', 0, to);
  for (let at = from; at < to; at += FILL_STEP) {
    const end = Math.min(at + FILL_STEP, to);
    dataset.invoke((exports) => exports.powItems(at, end, datasetAt + at * POW_ITEM_BYTES));
    options?.onProgress?.(end - from, to - from);
  }
}

/** Makes a whole dataset on this thread. */
export function makeDataset(
  cache: PowCache,
  datasetBytes: number,
  options?: FillOptions & ModuleOptions,
): PowDataset {
  const dataset = allocateDataset(cache, datasetBytes, options);
  fillDataset(dataset, 0, datasetBytes / POW_ITEM_BYTES, options);
  return dataset;
}

/** One dataset item of 64 bytes, made from the cache. */
export function datasetItem(cache: PowCache, index: number): Uint8Array {
  expectInteger(index, 'index', 0, POW_DATASET_BYTES_MAX / POW_ITEM_BYTES - 1);
  return expectWork(cache, 'cache').invoke((exports) => {
    exports.powItem(index, exports.powInput());
    return cache.readItem();
  });
}

function expectInput(input: unknown): Uint8Array {
  const bytes = expectBytes(input, 'input');
  if (bytes.length <= POW_INPUT_BYTES_MAX) return bytes;
  const found = `found ${bytes.length}`;
  throw new SvcError('bad_length', `expected at most ${POW_INPUT_BYTES_MAX} bytes, ${found}`, {
    path: 'input',
  });
}

/** The hash of `input` for a dataset of `datasetBytes` that is made as far as it is needed. */
export function light(cache: PowCache, datasetBytes: number, input: Uint8Array): PowHash {
  expectDatasetBytes(datasetBytes);
  const taken = expectInput(input);
  expectWork(cache, 'cache').writeInput(taken);
  return cache.invoke((exports) => {
    exports.powPages(datasetBytes / POW_PAGE_BYTES);
    exports.powLight(taken.length);
    return cache.readHash();
  });
}

/** The hash of `input` with the dataset in memory. */
export function full(dataset: PowDataset, input: Uint8Array): PowHash {
  const pages = expectDataset(dataset) / POW_PAGE_BYTES;
  const taken = expectInput(input);
  dataset.writeInput(taken);
  return dataset.invoke((exports) => {
    exports.powPages(pages);
    exports.powFull(taken.length);
    return dataset.readHash();
  });
}

function expectDataset(work: PowMemory): number {
  const { datasetBytes } = expectWork(work, 'dataset').layout;
  if (datasetBytes > 0) return datasetBytes;
  throw new SvcError('no_dataset', 'expected a memory with a dataset, found a cache alone');
}
