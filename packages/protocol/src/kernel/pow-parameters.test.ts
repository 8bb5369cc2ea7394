import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POW_ITEM_BYTES, POW_PAGE_BYTES, POW_SIZES } from './pow-parameters.ts';

const MEBIBYTE = 1024 * 1024;

function isPrime(value: number): boolean {
  if (value < 2) return false;
  for (let factor = 2; factor * factor <= value; factor++) if (value % factor === 0) return false;
  return true;
}

/** The largest prime number of units that fit into `bytes`. */
function largestPrimeWithin(bytes: number, unit: number): number {
  let count = Math.floor(bytes / unit);
  while (!isPrime(count)) count--;
  return count * unit;
}

test('every network has the largest prime number of items and pages within its sizes', () => {
  const { mainnet, testnet, testnet100, development } = POW_SIZES;
  assert.deepEqual(mainnet, {
    cacheBytes: largestPrimeWithin(32 * MEBIBYTE, POW_ITEM_BYTES),
    datasetBytes: largestPrimeWithin(2048 * MEBIBYTE, POW_PAGE_BYTES),
  });
  assert.deepEqual(mainnet, { cacheBytes: 33_554_368, datasetBytes: 2_147_483_264 });
  assert.deepEqual([testnet, testnet100], [mainnet, mainnet]);
  assert.deepEqual(development, {
    cacheBytes: largestPrimeWithin(MEBIBYTE / 4, POW_ITEM_BYTES),
    datasetBytes: largestPrimeWithin(16 * MEBIBYTE, POW_PAGE_BYTES),
  });
});
