/**
 * A worker thread that hashes and searches headers, with caches that it makes itself or with datasets that it
 * is lent. It keeps two caches: at the end of a period, blocks of both sides come in.
 */
import { workerData } from 'node:worker_threads';
import { toHex } from 'svc-wasm/base';
import { attachSharedPow, pow, powInput } from 'svc-wasm/kernel';
import type { PowKey } from './pow-periods.ts';
import { serveOrders } from './serve-orders.ts';

/** A dataset in shared memory, and the place in it that this thread may use. */
export interface LentDataset {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly thread: number;
}

export interface SearchRange {
  readonly header: Uint8Array;
  readonly start: bigint;
  readonly count: number;
  readonly target: Uint8Array;
}

export type HashOrder =
  | { readonly type: 'prepare'; readonly key: PowKey }
  | { readonly type: 'hash'; readonly key: PowKey; readonly header: Uint8Array }
  /** The dataset that later searches use, or null to give it back. */
  | { readonly type: 'lend'; readonly dataset: LentDataset | null }
  | { readonly type: 'search'; readonly key: PowKey; readonly range: SearchRange };

export interface SearchAnswer {
  /** Nonces tried, with the one that was found. */
  readonly done: number;
  readonly nonce: Uint8Array | null;
}

export interface HashThreadData {
  readonly module: WebAssembly.Module;
}

const CACHES_MAX = 2;
const COUNTER_BYTES = 8;
const { module } = workerData as HashThreadData;
const caches = new Map<string, pow.PowCache>();
let lent: pow.PowDataset | undefined;

function cacheOf({ seed, cacheBytes }: PowKey): pow.PowCache {
  const name = toHex(seed);
  const cache = caches.get(name) ?? pow.makeCache(seed, cacheBytes, { module });
  caches.delete(name);
  caches.set(name, cache);
  for (const oldest of caches.keys()) if (caches.size > CACHES_MAX) caches.delete(oldest);
  return cache;
}

function lend(dataset: LentDataset | null): true {
  lent =
    dataset === null ? undefined : attachSharedPow(dataset.memory, dataset.module, dataset.thread);
  return true;
}

function search(key: PowKey, { header, start, count, target }: SearchRange): SearchAnswer {
  const work = lent ?? cacheOf(key);
  const { done, hit } = pow.search(work, header, {
    freeBytes: COUNTER_BYTES,
    start,
    count,
    shareTarget: target,
    blockTarget: target,
    datasetBytes: key.datasetBytes,
  });
  return { done, nonce: hit?.nonce ?? null };
}

serveOrders((order: HashOrder) => {
  if (order.type === 'lend') return lend(order.dataset);
  if (order.type === 'search') return search(order.key, order.range);
  const cache = cacheOf(order.key);
  if (order.type === 'prepare') return true;
  return pow.light(cache, order.key.datasetBytes, powInput(order.header)).result;
});
