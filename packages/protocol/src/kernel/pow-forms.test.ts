/**
 * The proof of work in every form of Keccak: what is hashed four at a time is what is hashed alone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCALAR, SHARED, SIMD } from '../../test/pow-modules.ts';
import { instantiate, newMemory } from './pow-instance.ts';

const AREA_BYTES = 8_192;
const CACHE_ITEMS = 97;
const ITEMS = 178;
const ITEM_BYTES = 64;
const INPUT_BYTES = 322;
const NONCE_AT = 298;
const NONCES = 11;
const MIXTURE = 0;
const VECTORS = 1;

/** A kernel with a cache and a dataset whose items were made one by one. */
function kernelWith(module: WebAssembly.Module, form: number, shared: boolean) {
  const memory = newMemory(64, shared);
  const exports = instantiate(module, memory);
  exports.keccakUseForm(form);
  const bytes = new Uint8Array(memory.buffer);
  const area = Math.ceil(exports.heapBase() / 64) * 64;
  const cache = area + AREA_BYTES;
  const dataset = cache + CACHE_ITEMS * ITEM_BYTES;
  exports.powAttach(area, cache, CACHE_ITEMS, dataset);
  exports.powPages(ITEMS / 2);
  bytes.fill(3, exports.powInput(), exports.powInput() + 32);
  exports.powMakeCache();
  for (let item = 0; item < ITEMS; item++) exports.powItem(item, dataset + item * ITEM_BYTES);
  const slice = (from: number, length: number) => bytes.slice(from, from + length);
  return { exports, bytes, dataset, slice };
}

/** Compares the result of each nonce alone with a search that stops at it. */
function expectSameResults({ exports, bytes, slice }: ReturnType<typeof kernelWith>): Buffer[] {
  const input = exports.powInput();
  const header = Uint8Array.from({ length: INPUT_BYTES }, (_, at) => (at * 89 + 11) & 0xff);
  header.fill(0, NONCE_AT, NONCE_AT + 8);
  const alone = Array.from({ length: NONCES }, (_, nonce) => {
    bytes.set(header, input);
    bytes[input + NONCE_AT] = nonce;
    exports.powFull(INPUT_BYTES);
    return Buffer.from(slice(exports.powResult(), 64));
  });
  bytes.set(header, input);
  const least = alone.reduce((a, b) =>
    Buffer.compare(a.subarray(32), b.subarray(32)) < 0 ? a : b,
  );
  bytes.set(least.subarray(32), exports.powTargets());
  bytes.fill(0, exports.powTargets() + 32, exports.powTargets() + 64);
  assert.equal(exports.powSearch(0n, NONCES), alone.indexOf(least));
  assert.deepEqual(Buffer.from(slice(exports.powResult(), 64)), least);
  bytes.fill(0xff, exports.powTargets(), exports.powTargets() + 32);
  for (const [nonce, result] of alone.entries()) {
    assert.equal(exports.powSearch(BigInt(nonce), 1), 0);
    assert.deepEqual(Buffer.from(slice(exports.powResult(), 64)), result, `nonce ${nonce}`);
  }
  return alone;
}

test('items and hashes made four at a time are those made alone, in every build and form', () => {
  const results = [
    kernelWith(SIMD, MIXTURE, false),
    kernelWith(SIMD, VECTORS, false),
    kernelWith(SCALAR, MIXTURE, false),
    kernelWith(SHARED, MIXTURE, true),
    kernelWith(SHARED, VECTORS, true),
  ].map((kernel) => {
    const { exports, dataset, slice } = kernel;
    const alone = slice(dataset, ITEMS * ITEM_BYTES);
    exports.powItems(0, ITEMS, dataset);
    assert.deepEqual(slice(dataset, ITEMS * ITEM_BYTES), alone);
    return { alone, hashes: expectSameResults(kernel) };
  });
  for (const result of results) assert.deepEqual(result, results[0]);
});
