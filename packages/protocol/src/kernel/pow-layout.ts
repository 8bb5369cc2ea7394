/**
 * The layout of a memory of the proof of work, above the kernel's static bytes: a page that names the sizes, an area
 * for each thread, the cache, the dataset.
 */
import { expectInteger } from '../base/integer.ts';
import { SvcError } from '../base/svc-error.ts';
import {
  POW_CACHE_BYTES_MAX,
  POW_DATASET_BYTES_MAX,
  POW_ITEM_BYTES,
  POW_PAGE_BYTES,
} from './pow-parameters.ts';

export const WASM_PAGE_BYTES = 65_536;
const AREA_BYTES = 8_192;

export interface PowLayout {
  readonly cacheBytes: number;
  /** 0 when the memory holds a cache alone. */
  readonly datasetBytes: number;
  readonly threads: number;
  readonly areasAt: number;
  readonly cacheAt: number;
  readonly datasetAt: number;
  readonly wasmPages: number;
}

function alignUp(value: number): number {
  return Math.ceil(value / WASM_PAGE_BYTES) * WASM_PAGE_BYTES;
}

export function powLayout(
  heapBase: number,
  cacheBytes: number,
  datasetBytes: number,
  threads: number,
): PowLayout {
  const areasAt = heapBase + WASM_PAGE_BYTES;
  const cacheAt = alignUp(areasAt + threads * AREA_BYTES);
  const datasetAt = alignUp(cacheAt + cacheBytes);
  const wasmPages = alignUp(datasetAt + datasetBytes) / WASM_PAGE_BYTES;
  return { cacheBytes, datasetBytes, threads, areasAt, cacheAt, datasetAt, wasmPages };
}

export function areaAt(layout: PowLayout, thread: number): number {
  return layout.areasAt + thread * AREA_BYTES;
}

function expectSize(value: unknown, path: string, unit: number, max: number): number {
  const size = expectInteger(value, path, unit, max);
  if (size % unit === 0) return size;
  throw new SvcError('out_of_range', `expected a multiple of ${unit} bytes, found ${size}`, {
    path,
  });
}

export function expectCacheBytes(value: unknown): number {
  return expectSize(value, 'cacheBytes', POW_ITEM_BYTES, POW_CACHE_BYTES_MAX);
}

export function expectDatasetBytes(value: unknown): number {
  return expectSize(value, 'datasetBytes', POW_PAGE_BYTES, POW_DATASET_BYTES_MAX);
}
