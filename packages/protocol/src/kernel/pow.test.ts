import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  EPOCH_0,
  ethashInput,
  publishedVectors,
  type SmallCase,
  smallCases,
} from '../../test/ethash-vectors.ts';
import { BUILDS, SCALAR, SIMD } from '../../test/pow-modules.ts';
import { fromHex, toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import * as pow from './pow.ts';
import { POW_ITEM_BYTES, POW_PAGE_BYTES, POW_SIZES } from './pow-parameters.ts';

const ZERO_SEED = new Uint8Array(32);

function makeSmallCache(small: SmallCase, module: WebAssembly.Module): pow.PowCache {
  return pow.makeCache(fromHex(small.seed), small.cache_items * POW_ITEM_BYTES, { module });
}

function hexOf(hash: pow.PowHash): { mix: string; result: string } {
  return { mix: toHex(hash.mix), result: toHex(hash.result) };
}

for (const { build, module } of BUILDS) {
  test(`${build}: published Ethash vectors at the size of epoch 0`, (t) => {
    const vectors = publishedVectors();
    if (vectors === undefined) return t.skip('passed over: ../shared/vectors is not there');
    const cache = pow.makeCache(ZERO_SEED, EPOCH_0.cacheBytes, { module });
    assert.equal(vectors.length, 2);
    for (const vector of vectors) {
      const hash = pow.light(cache, EPOCH_0.datasetBytes, ethashInput(vector));
      assert.deepEqual(hexOf(hash), { mix: vector.mix_hash, result: vector.final_hash });
    }
  });

  test(`${build}: caches, items and hashes of another implementation at small sizes`, () => {
    for (const small of smallCases()) {
      const cache = makeSmallCache(small, module);
      const digest = createHash('sha384').update(cache.cache).digest('hex');
      assert.equal(digest, small.cache_sha384);
      assert.equal(toHex(pow.datasetItem(cache, small.item_index)), small.item);
      const hash = pow.light(cache, small.dataset_pages * POW_PAGE_BYTES, ethashInput(small));
      assert.deepEqual(hexOf(hash), { mix: small.mix, result: small.result });
    }
  });

  test(`${build}: full hashes of another implementation at small sizes`, () => {
    for (const small of smallCases().filter((one) => one.dataset_pages < 8000)) {
      const cache = makeSmallCache(small, module);
      const datasetBytes = small.dataset_pages * POW_PAGE_BYTES;
      const dataset = pow.makeDataset(cache, datasetBytes, { module });
      assert.equal(dataset.dataset.length, datasetBytes);
      const at = small.item_index * POW_ITEM_BYTES;
      assert.equal(toHex(dataset.dataset.slice(at, at + POW_ITEM_BYTES)), small.item);
      const hash = pow.full(dataset, ethashInput(small));
      assert.deepEqual(hexOf(hash), { mix: small.mix, result: small.result });
    }
  });

  test(`${build}: light and full hashes agree on inputs of every length around a block`, () => {
    const cache = pow.makeCache(ZERO_SEED, 61 * POW_ITEM_BYTES, { module });
    const datasetBytes = 53 * POW_PAGE_BYTES;
    const dataset = pow.makeDataset(cache, datasetBytes, { module });
    const seen = new Set<string>();
    for (const length of [0, 1, 8, 40, 71, 72, 73, 143, 144, 145, 322, 4095, 4096]) {
      const input = new Uint8Array(length).fill(0xa5);
      const hash = pow.light(cache, datasetBytes, input);
      assert.deepEqual(hash, pow.full(dataset, input));
      seen.add(toHex(hash.result));
    }
    assert.equal(seen.size, 13);
  });
}

test('light and full hashes agree at the development sizes, and so do the builds', () => {
  const { cacheBytes, datasetBytes } = POW_SIZES.development;
  const seed = new Uint8Array(32).fill(7);
  const cache = pow.makeCache(seed, cacheBytes, { module: SIMD });
  const scalar = pow.makeCache(seed, cacheBytes, { module: SCALAR });
  assert.deepEqual(scalar.cache, cache.cache);
  const reports: number[] = [];
  const onProgress = (done: number, total: number) => reports.push(done / total);
  const dataset = pow.makeDataset(cache, datasetBytes, { module: SIMD, onProgress });
  assert.ok(reports.length > 1 && reports.at(-1) === 1);
  assert.deepEqual(
    reports,
    reports.toSorted((a, b) => a - b),
  );
  for (let nonce = 0; nonce < 20; nonce++) {
    const input = new Uint8Array(322).fill(nonce);
    const hash = pow.full(dataset, input);
    assert.deepEqual(hash, pow.light(cache, datasetBytes, input));
    assert.deepEqual(hash, pow.light(scalar, datasetBytes, input));
  }
  const last = datasetBytes / POW_ITEM_BYTES - 1;
  for (const index of [0, 1, 2, 3, 4, 32_767, 32_768, last - 1, last]) {
    const item = dataset.dataset.slice(index * POW_ITEM_BYTES, (index + 1) * POW_ITEM_BYTES);
    assert.deepEqual(pow.datasetItem(scalar, index), item);
  }
});

test('the kernel that init loaded serves when no other is named', async () => {
  await init();
  const cache = pow.makeCache(ZERO_SEED, 61 * POW_ITEM_BYTES);
  const dataset = pow.makeDataset(cache, 53 * POW_PAGE_BYTES);
  const scalar = pow.makeCache(ZERO_SEED, 61 * POW_ITEM_BYTES, { module: SCALAR });
  const hash = pow.light(scalar, 53 * POW_PAGE_BYTES, ZERO_SEED);
  assert.deepEqual(pow.full(dataset, ZERO_SEED), hash);
});

test('a dataset can be saved and loaded as bytes', () => {
  const cache = pow.makeCache(ZERO_SEED, 61 * POW_ITEM_BYTES, { module: SIMD });
  const made = pow.makeDataset(cache, 53 * POW_PAGE_BYTES, { module: SIMD });
  const saved = made.dataset.slice();
  const loaded = pow.allocateDataset(cache, 53 * POW_PAGE_BYTES, { module: SIMD });
  assert.notDeepEqual(loaded.dataset, saved);
  loaded.dataset.set(saved);
  assert.deepEqual(pow.full(loaded, ZERO_SEED), pow.full(made, ZERO_SEED));
});

test('sizes and inputs that cannot be are refused', () => {
  const module = SIMD;
  const cache = pow.makeCache(ZERO_SEED, 64, { module });
  const refused: [string, () => unknown][] = [
    ['bad_length', () => pow.makeCache(new Uint8Array(31), 64, { module })],
    ['bad_type', () => pow.makeCache('seed' as unknown as Uint8Array, 64, { module })],
    ['bad_type', () => pow.makeCache(ZERO_SEED, '64' as unknown as number, { module })],
    ['bad_type', () => pow.makeCache(ZERO_SEED, 64, { module: {} })],
    ...[0, -64, 63, 65, 64.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40].map(
      (size): [string, () => unknown] => [
        'out_of_range',
        () => pow.makeCache(ZERO_SEED, size, { module }),
      ],
    ),
    ...[undefined, null, {}, 'cache', new Proxy(cache, {})].flatMap(
      (none): [string, () => unknown][] => [
        ['bad_type', () => pow.light(none as pow.PowCache, 128, ZERO_SEED)],
        ['bad_type', () => pow.full(none as pow.PowDataset, ZERO_SEED)],
        ['bad_type', () => pow.datasetItem(none as pow.PowCache, 0)],
        ['bad_type', () => pow.fillCache(none as pow.PowCache, ZERO_SEED)],
        ['bad_type', () => pow.allocateDataset(none as pow.PowCache, 128, { module })],
        ['bad_type', () => pow.fillDataset(none as pow.PowDataset, 0, 1)],
      ],
    ),
    ['out_of_range', () => pow.light(cache, 64, ZERO_SEED)],
    ['out_of_range', () => pow.light(cache, 2 ** 33, ZERO_SEED)],
    ['bad_length', () => pow.light(cache, 128, new Uint8Array(4097))],
    ['out_of_range', () => pow.datasetItem(cache, -1)],
    ['out_of_range', () => pow.datasetItem(cache, 2 ** 32)],
    ['no_dataset', () => pow.full(cache, ZERO_SEED)],
    ['no_dataset', () => pow.fillDataset(cache, 0, 1)],
    ['out_of_range', () => pow.fillDataset(pow.allocateDataset(cache, 128, { module }), 0, 3)],
    ['out_of_range', () => pow.fillDataset(pow.allocateDataset(cache, 128, { module }), 2, 1)],
  ];
  for (const [code, call] of refused) assert.throws(call, { name: 'SvcError', code });
});
