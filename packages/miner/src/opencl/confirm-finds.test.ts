import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { pow, powInput } from 'svc-wasm/kernel';
import { confirmFinds } from './confirm-finds.ts';
import { COUNTER_AT_IN_NONCE } from './midstate.ts';

const NONCE_AT = 288;
const KEY = { seed: new Uint8Array(32).fill(5), cacheBytes: 97 * 64, datasetBytes: 89 * 128 };

await init();

test('a card that errs: wrong hashes are counted and not sent, right ones above the target neither', () => {
  const cache = pow.makeCache(KEY.seed, KEY.cacheBytes);
  const header = Uint8Array.from({ length: 312 }, (_, at) => (at * 89 + 11) & 0xff);
  const hashes = Array.from({ length: 5 }, (_, counter) => {
    const tried = header.slice();
    const view = new DataView(tried.buffer, NONCE_AT + COUNTER_AT_IN_NONCE);
    view.setBigUint64(0, BigInt(counter), true);
    const { result } = pow.light(cache, KEY.datasetBytes, powInput(tried));
    return { counter: BigInt(counter), nonce: tried.slice(NONCE_AT), result };
  }).toSorted((a, b) => Buffer.compare(a.result, b.result));
  const target = hashes[2]?.result as Uint8Array;
  const finds = hashes.map(({ counter, result }) => ({
    counter,
    top: new DataView(result.buffer, result.byteOffset).getBigUint64(0),
  }));
  const found = finds.map((find, place) => (place === 1 ? { ...find, top: find.top ^ 1n } : find));
  const search = { key: KEY, header, target, count: 1_000 };
  assert.deepEqual(confirmFinds(search, { found, lost: 3 }, cache), {
    done: 1_000,
    nonces: [hashes[0]?.nonce, hashes[2]?.nonce],
    wrong: 1,
    lost: 3,
  });
});
