/**
 * The processor and whatever OpenCL driver is there against the frozen vectors and against each other.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { PowPeriods } from 'svc-mining/pow';
import { init } from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { meetsTarget, pow, powInput } from 'svc-wasm/kernel';
import { CpuDatasets } from '../cpu/cpu-datasets.ts';
import { CpuDevice } from '../cpu/cpu-device.ts';
import { Card, COUNT_STEP } from '../opencl/card.ts';
import { CardDevice } from '../opencl/card-device.ts';
import { listOpenClDevices, type OpenClDevice } from '../opencl/list-devices.ts';
import { midstateOf } from '../opencl/midstate.ts';
import { loadOpenCl, type OpenClFunctions } from '../opencl/opencl-library.ts';
import type { Device, DeviceSearch } from './device.ts';
import { Prospector, type Work } from './prospector.ts';

await init();

interface Vector {
  readonly network: string;
  readonly seed: string;
  readonly cache_items: number;
  readonly dataset_pages: number;
  readonly header: string;
  readonly result: string;
}

const vectors = (
  JSON.parse(readFileSync(new URL('../../../../vectors/pow.json', import.meta.url), 'utf8')) as {
    hashes: Vector[];
  }
).hashes.filter(({ network }) => network === 'development');
const sizes = { cacheBytes: 257 * 64, datasetBytes: 4_001 * 128 };
const periods = new PowPeriods({
  chainId: new Uint8Array(48).fill(3),
  parameters: { network: 'development', interval: 576 },
  sizes,
});
const TOP_ALL = (1n << 64n) - 1n;

function openClOf(t: TestContext): { cl: OpenClFunctions; device: OpenClDevice } | undefined {
  const cl = loadOpenCl();
  const device = cl === undefined ? undefined : listOpenClDevices(cl)[0];
  if (cl === undefined || device === undefined) {
    t.skip('passed over: no OpenCL driver here (Debian: pocl-opencl-icd)');
    return undefined;
  }
  return { cl, device };
}

/** A target that about one hash in `odds` meets. */
function targetOfOdds(odds: number): Uint8Array {
  const target = new Uint8Array(32);
  new DataView(target.buffer).setBigUint64(0, TOP_ALL / BigInt(odds));
  return target;
}

function headerOf(fill: number): Uint8Array {
  const header = new Uint8Array(312).fill(fill);
  header.fill(0, 8, 16);
  header.fill(0, 288, 304);
  return header;
}

test('a card hashes the frozen vectors right, and makes the items of their dataset', (t) => {
  const found = openClOf(t);
  if (found === undefined) return;
  const card = new Card(found.cl, found.device);
  t.after(() => card.close());
  assert.ok(vectors.length > 0);
  const { seed, cache_items, dataset_pages } = vectors[0] as Vector;
  const vectorSizes = { cacheBytes: cache_items * 64, datasetBytes: dataset_pages * 128 };
  const cache = pow.makeCache(fromHex(seed), vectorSizes.cacheBytes);
  const dataset = card.makeDataset(cache.cache, vectorSizes);
  for (const item of [0, 1, 4_093, 2 * dataset_pages - 1])
    assert.deepEqual(new Uint8Array(card.readItem(dataset, item)), pow.datasetItem(cache, item));
  for (const { header, result, seed: own } of vectors) {
    assert.equal(own, seed);
    const bytes = fromHex(header);
    const start = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(288 + 6, true);
    const midstate = midstateOf(bytes);
    const search = { midstate, start, count: COUNT_STEP, targetTop: TOP_ALL };
    const { found: finds } = card.end(card.begin(dataset, search));
    const find = finds.find(({ counter }) => counter === start);
    assert.equal(find?.top, BigInt(`0x${result.slice(0, 16)}`));
  }
});

async function cpuDevice(t: TestContext): Promise<CpuDevice> {
  const folder = temporaryDirectory(t);
  const ports = { folder: () => folder, threads: 1, clock: SYSTEM_CLOCK, log: SILENT_LOG };
  const datasets = new CpuDatasets(ports);
  const device = new CpuDevice({ index: 0, name: 'processor', datasets });
  t.after(async () => {
    await device.close();
    await datasets.close();
  });
  await device.prepare(0, periods.keyOf(0), () => {});
  return device;
}

/** All nonces below the target among the first counters, by light hashes of the kernel. */
function expectedOf(search: DeviceSearch, counterAt: number): string[] {
  const cache = pow.makeCache(search.key.seed, sizes.cacheBytes);
  const header = search.header.slice();
  const view = new DataView(header.buffer);
  const nonces: string[] = [];
  for (let counter = 0; counter < search.count; counter++) {
    view.setBigUint64(288 + counterAt, BigInt(counter), true);
    const { result } = pow.light(cache, sizes.datasetBytes, powInput(header));
    if (meetsTarget(result, search.target)) nonces.push(toHex(header.subarray(288)));
  }
  return nonces;
}

async function searchAll(device: Device, search: DeviceSearch): Promise<string[]> {
  const nonces: string[] = [];
  for (let tried = 0; tried < search.count; ) {
    const count = search.count - tried;
    const result = await device.search({ ...search, start: BigInt(tried), count });
    assert.deepEqual([result.wrong, result.lost], [0, 0]);
    nonces.push(...result.nonces.map((nonce) => toHex(nonce)));
    tried += result.done;
  }
  return nonces.sort();
}

const search: DeviceSearch = {
  period: 0,
  key: periods.keyOf(0),
  header: headerOf(7),
  target: targetOfOdds(16),
  start: 0n,
  count: 4 * COUNT_STEP,
};

test('a thread of the processor finds every nonce that there is, and no other', async (t) => {
  const device = await cpuDevice(t);
  const expected = expectedOf(search, 0);
  assert.ok(expected.length > 5);
  assert.deepEqual(await searchAll(device, search), expected.sort());
});

test('a card finds every nonce that there is, and no other, with two batches under way', async (t) => {
  const found = openClOf(t);
  if (found === undefined) return;
  const device = new CardDevice(found.device);
  t.after(() => device.close());
  await assert.rejects(device.search(search), /period 0 is not ready/);
  const shares: number[] = [];
  await device.prepare(0, search.key, (share) => shares.push(share));
  assert.equal(shares.at(-1), 1);
  const halves = [0, 1].map((half) => ({
    ...search,
    start: BigInt(half * 2 * COUNT_STEP),
    count: 2 * COUNT_STEP,
  }));
  const results = await Promise.all(halves.map((half) => device.search(half)));
  const nonces = results.flatMap((result) => result.nonces.map((nonce) => toHex(nonce)));
  assert.deepEqual(nonces.sort(), expectedOf(search, 6).sort());
});

test('a card searches on while it has the next dataset, which is ready when its period begins', async (t) => {
  const found = openClOf(t);
  if (found === undefined) return;
  const device = new CardDevice(found.device);
  t.after(() => device.close());
  await device.prepare(0, search.key, () => {});
  await device.prepareAhead(1, periods.keyOf(1));
  const next = { ...search, period: 1, key: periods.keyOf(1) };
  for (const each of [search, next]) {
    const { nonces } = await device.search(each);
    assert.deepEqual(nonces.map((nonce) => toHex(nonce)).sort(), expectedOf(each, 6).sort());
  }
  await device.prepareAhead(2, periods.keyOf(2));
  await device.search(next);
  await assert.rejects(device.search(search), /period 0 is not ready/, 'the oldest made room');
});

test('a batch with more finds than there is room for reports how many were lost', async (t) => {
  const found = openClOf(t);
  if (found === undefined) return;
  const device = new CardDevice(found.device);
  t.after(() => device.close());
  await device.prepare(0, search.key, () => {});
  const all = { ...search, target: new Uint8Array(32).fill(0xff) };
  const { nonces, lost } = await device.search(all);
  assert.deepEqual([nonces.length, lost], [255, 4 * COUNT_STEP - 255]);
});

test('a prospector gives devices counters of their own and goes over to new work', async (t) => {
  const device = await cpuDevice(t);
  const works = [1, 2].map(
    (fill): Work => ({
      jobId: `job ${fill}`,
      period: 0,
      key: search.key,
      header: headerOf(fill),
      shareTarget: targetOfOdds(64),
      isSpentByFind: false,
    }),
  );
  const seen = new Map<string, Set<string>>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const prospector = new Prospector({
    device,
    deviceNumber: 0x0201,
    clock: SYSTEM_CLOCK,
    onFailure: reject,
    onFound: (work, nonce) => {
      const nonces = seen.get(work.jobId) ?? new Set();
      seen.set(work.jobId, nonces);
      assert.ok(!nonces.has(toHex(nonce)), 'a nonce was tried twice');
      nonces.add(toHex(nonce));
      assert.equal(toHex(nonce.subarray(14, 16)), '0102');
      assert.deepEqual(nonce.subarray(16), work.header.subarray(304));
      const header = work.header.slice();
      header.set(nonce, 288);
      const cache = pow.makeCache(work.key.seed, sizes.cacheBytes);
      const { result } = pow.light(cache, sizes.datasetBytes, powInput(header));
      assert.ok(meetsTarget(result, work.shareTarget));
      if (work.jobId === 'job 1' && nonces.size === 5) prospector.setWork(works[1]);
      if (work.jobId === 'job 2' && nonces.size === 5) resolve();
    },
  });
  prospector.setWork(works[0]);
  await promise;
  prospector.setWork(undefined);
  assert.ok(prospector.meter.total > 0);
});
