import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BUILDS, ROOT, SIMD } from '../../test/pow-modules.ts';
import { fromHex, toHex } from '../base/bytes.ts';
import type { Network } from '../base/networks.ts';
import { init } from '../entry/node.ts';
import { KECCAK_FORMS } from './keccak-form.ts';
import * as pow from './pow.ts';
import { POW_ITEM_BYTES, POW_PAGE_BYTES, POW_SIZES } from './pow-parameters.ts';
import { powInput } from './pow-search.ts';
import { powSeed } from './pow-seed.ts';

interface SeedVector {
  readonly chain_id: string;
  readonly period: number;
  readonly seed: string;
}

interface HashVector {
  readonly network: Network;
  readonly seed: string;
  readonly cache_items: number;
  readonly dataset_pages: number;
  readonly cache_sha384: string;
  readonly header: string;
  readonly mix: string;
  readonly result: string;
}

const VECTORS: { seeds: readonly SeedVector[]; hashes: readonly HashVector[] } = JSON.parse(
  readFileSync(new URL('vectors/pow.json', ROOT), 'utf8'),
);

function checkNetwork(network: Network, options: pow.ModuleOptions): void {
  const { cacheBytes, datasetBytes } = POW_SIZES[network];
  const vectors = VECTORS.hashes.filter((vector) => vector.network === network);
  const [first] = vectors;
  assert.ok(first !== undefined && vectors.every((vector) => vector.seed === first.seed));
  const cache = pow.makeCache(fromHex(first.seed), cacheBytes, options);
  assert.equal(createHash('sha384').update(cache.cache).digest('hex'), first.cache_sha384);
  for (const vector of vectors) {
    assert.equal(vector.cache_items * POW_ITEM_BYTES, cacheBytes);
    assert.equal(vector.dataset_pages * POW_PAGE_BYTES, datasetBytes);
    const { mix, result } = pow.light(cache, datasetBytes, powInput(fromHex(vector.header)));
    assert.deepEqual([toHex(mix), toHex(result)], [vector.mix, vector.result]);
  }
}

await init();

for (const { build, module } of BUILDS) {
  for (const keccak of KECCAK_FORMS) {
    test(`${build}, Keccak ${keccak}: vectors of SVC_POW_V1 at the development sizes`, () => {
      checkNetwork('development', { module, keccak });
    });
  }
}

test('vectors of SVC_POW_V1 at the sizes of the main network', () => {
  checkNetwork('mainnet', { module: SIMD });
});

test('vectors of the seeds', () => {
  assert.equal(VECTORS.seeds.length, 9);
  for (const { chain_id, period, seed } of VECTORS.seeds) {
    assert.equal(toHex(powSeed(fromHex(chain_id), BigInt(period))), seed);
  }
});
