/**
 * Makes a whole Ethash dataset with several threads and checks the published vectors in full mode,
 * which is too long for the test command: 1 GiB takes some minutes.
 *
 * Usage: node tools/bootstrap.mjs packages/protocol/test/pow-full-vectors.ts [threads] [MiB]
 *
 * With a size in MiB the vectors' inputs are hashed in light mode too, and the two compared.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { toHex } from '../src/base/bytes.ts';
import { fillCache, full, light, type PowDataset } from '../src/kernel/pow.ts';
import { POW_ITEM_BYTES, POW_PAGE_BYTES } from '../src/kernel/pow-parameters.ts';
import { attachSharedPow, createSharedPow } from '../src/kernel/pow-threads.ts';
import { EPOCH_0, ethashInput, publishedVectors } from './ethash-vectors.ts';
import { SHARED } from './pow-modules.ts';
import type { WorkerData } from './pow-worker.ts';

const threads = Number(process.argv[2] ?? availableParallelism());
const mebibytes = process.argv[3];
const datasetBytes =
  mebibytes === undefined
    ? EPOCH_0.datasetBytes
    : Math.floor((Number(mebibytes) * 2 ** 20) / POW_PAGE_BYTES) * POW_PAGE_BYTES;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function fillPart(memory: WebAssembly.Memory, thread: number, items: number): Promise<void> {
  const workerData: WorkerData = { memory, module: SHARED, thread };
  const worker = new Worker(new URL('./pow-worker.ts', import.meta.url), { workerData });
  const share = Math.ceil(items / threads);
  const from = (thread - 1) * share;
  worker.postMessage({ what: 'fill', from, to: Math.min(from + share, items) });
  await once(worker, 'message');
  await worker.terminate();
}

async function makeDataset(): Promise<PowDataset> {
  const { cacheBytes } = EPOCH_0;
  const memory = createSharedPow({ module: SHARED, cacheBytes, datasetBytes });
  const work = attachSharedPow(memory, SHARED, 0);
  fillCache(work, new Uint8Array(32));
  const items = datasetBytes / POW_ITEM_BYTES;
  const started = performance.now();
  await Promise.all(Array.from({ length: threads }, (_, i) => fillPart(memory, i + 1, items)));
  const seconds = (performance.now() - started) / 1000;
  say(`${items} items by ${threads} threads in ${seconds.toFixed(1)} s`);
  return work;
}

const vectors = publishedVectors();
if (vectors === undefined) {
  say('passed over: ../shared/vectors is not there');
} else {
  const work = await makeDataset();
  for (const vector of vectors) {
    const hash = full(work, ethashInput(vector));
    assert.deepEqual(hash, light(work, datasetBytes, ethashInput(vector)));
    if (mebibytes === undefined) {
      assert.equal(toHex(hash.mix), vector.mix_hash);
      assert.equal(toHex(hash.result), vector.final_hash);
    }
    say(`nonce ${vector.nonce}: full mode gives ${toHex(hash.result)}, as it should`);
  }
}
