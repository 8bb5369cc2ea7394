import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { SHARED, SIMD } from '../../test/pow-modules.ts';
import type { Order, WorkerData } from '../../test/pow-worker.ts';
import * as pow from './pow.ts';
import { POW_ITEM_BYTES, POW_PAGE_BYTES } from './pow-parameters.ts';
import { attachSharedPow, createSharedPow } from './pow-threads.ts';

const CACHE_BYTES = 1021 * POW_ITEM_BYTES;
const DATASET_BYTES = 20_011 * POW_PAGE_BYTES;
const ITEMS = DATASET_BYTES / POW_ITEM_BYTES;
const SEED = new Uint8Array(32).fill(9);

function createMemory(): WebAssembly.Memory {
  return createSharedPow({ module: SHARED, cacheBytes: CACHE_BYTES, datasetBytes: DATASET_BYTES });
}

function startWorker(t: TestContext, memory: WebAssembly.Memory, thread: number): Worker {
  const workerData: WorkerData = { memory, module: SHARED, thread };
  const worker = new Worker(new URL('../../test/pow-worker.ts', import.meta.url), { workerData });
  t.after(() => worker.terminate());
  return worker;
}

async function order<T>(worker: Worker, message: Order): Promise<T> {
  worker.postMessage(message);
  const [answer] = await once(worker, 'message');
  return answer as T;
}

test('two threads make the dataset that one makes, and hash and search it together', async (t) => {
  const memory = createMemory();
  const main = attachSharedPow(memory, SHARED, 0);
  pow.fillCache(main, SEED);
  const cache = pow.makeCache(SEED, CACHE_BYTES, { module: SIMD });
  assert.deepEqual(main.cache.slice(), cache.cache);

  const [first, second] = [startWorker(t, memory, 1), startWorker(t, memory, 2)];
  const middle = 17_003;
  await Promise.all([
    order(first, { what: 'fill', from: 0, to: middle }),
    order(second, { what: 'fill', from: middle, to: ITEMS }),
  ]);
  const alone = pow.makeDataset(cache, DATASET_BYTES, { module: SIMD });
  assert.deepEqual(main.dataset.slice(), alone.dataset);

  const inputs = Array.from({ length: 600 }, (_, i) => new Uint8Array(322).fill(i & 0xff, i & 63));
  const hashes = await Promise.all(
    [first, second].map((worker) => order<pow.PowHash[]>(worker, { what: 'full', inputs })),
  );
  const expected = inputs.map((input) => pow.full(alone, input));
  assert.deepEqual(hashes, [expected, expected]);

  const header = new Uint8Array(312).fill(5);
  const shareTarget = new Uint8Array(32).fill(0xff);
  shareTarget.set([0, 63]);
  const options = { freeBytes: 8, count: 4000, shareTarget, blockTarget: new Uint8Array(32) };
  const found = await Promise.all(
    [first, second].map((worker, i) =>
      order<pow.PowSearchResult>(worker, {
        what: 'search',
        header,
        options: { ...options, start: BigInt(i * 4000) },
      }),
    ),
  );
  for (const [i, result] of found.entries()) {
    assert.ok(result.hit !== undefined);
    assert.deepEqual(result, pow.search(alone, header, { ...options, start: BigInt(i * 4000) }));
  }
});

test('a shared memory is refused when it is not one, or the thread has no place in it', () => {
  const memory = createMemory();
  const foreign = new WebAssembly.Memory({ initial: 64, maximum: 64, shared: true });
  const sizes = { module: SHARED, cacheBytes: CACHE_BYTES, datasetBytes: DATASET_BYTES };
  const refused: [string, () => unknown][] = [
    ['out_of_range', () => attachSharedPow(memory, SHARED, 256)],
    ['out_of_range', () => attachSharedPow(memory, SHARED, -1)],
    ['out_of_range', () => attachSharedPow(foreign, SHARED, 0)],
    ['kernel_unavailable', () => attachSharedPow(memory, SIMD, 0)],
    ['kernel_unavailable', () => createSharedPow({ ...sizes, module: SIMD })],
    ['bad_type', () => attachSharedPow({} as WebAssembly.Memory, SHARED, 0)],
    ['out_of_range', () => createSharedPow({ ...sizes, datasetBytes: 100 })],
    ['out_of_range', () => createSharedPow({ ...sizes, cacheBytes: 0 })],
  ];
  for (const [code, call] of refused) assert.throws(call, { name: 'SvcError', code });
});

test('joining does not disturb a thread that is at work', () => {
  const memory = createMemory();
  const first = attachSharedPow(memory, SHARED, 0);
  pow.fillCache(first, SEED);
  const input = new Uint8Array(40);
  const before = pow.light(first, DATASET_BYTES, input);
  const cacheBefore = first.cache.slice();
  const second = attachSharedPow(memory, SHARED, 1);
  assert.deepEqual(pow.light(second, DATASET_BYTES, input), before);
  assert.deepEqual(first.readHash(), before);
  assert.deepEqual(second.cache.slice(), cacheBefore);
});
