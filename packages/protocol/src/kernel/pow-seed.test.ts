import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { init } from '../entry/node.ts';
import { powPeriod, powSeed } from './pow-seed.ts';

await init();

test('a seed is the start of the hash of label, chain id and period', () => {
  const chainId = Uint8Array.from({ length: 48 }, (_, i) => 200 - i);
  const hash = createHash('sha384').update('SVC_POW_SEED_V1').update(chainId);
  hash.update(Uint8Array.of(2, 1, 0, 0, 0, 0, 0, 0));
  assert.deepEqual(powSeed(chainId, 258n), Uint8Array.from(hash.digest().subarray(0, 32)));
  assert.notDeepEqual(powSeed(chainId, 259n), powSeed(chainId, 258n));
});

test('the period grows by one every thirty intervals', () => {
  assert.equal(powPeriod(0n, 120n), 0n);
  assert.equal(powPeriod(3_599n, 120n), 0n);
  assert.equal(powPeriod(3_600n, 120n), 1n);
  assert.equal(powPeriod(34_560n * 30n * 7n - 1n, 34_560n), 6n);
  assert.equal(powPeriod(34_560n * 30n * 7n, 34_560n), 7n);
});

test('chain ids, periods and heights that cannot be are refused', () => {
  const chainId = new Uint8Array(48);
  const refused: [string, () => unknown][] = [
    ['bad_length', () => powSeed(new Uint8Array(47), 0n)],
    ['bad_type', () => powSeed(chainId, 0 as unknown as bigint)],
    ['out_of_range', () => powSeed(chainId, -1n)],
    ['out_of_range', () => powSeed(chainId, 1n << 64n)],
    ['out_of_range', () => powPeriod(-1n, 120n)],
    ['out_of_range', () => powPeriod(0n, 0n)],
  ];
  for (const [code, call] of refused) assert.throws(call, { name: 'SvcError', code });
});
