import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

test('a bucket gives its burst at once and its rate after that; debts are paid off first', () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 20 }, 0);
  bucket.spend(20, 0);
  assert.equal(bucket.waitMillis(0), 0);
  bucket.spend(30, 0);
  assert.equal(bucket.waitMillis(0), 3_000);
  assert.equal(bucket.waitMillis(2_000), 1_000);
  assert.equal(bucket.trySpend(1, 2_999), false);
  assert.equal(bucket.trySpend(5, 3_600), true);
  bucket.spend(20, 1_000_000);
  assert.equal(bucket.waitMillis(1_000_000), 0);
  bucket.spend(1, 1_000_000);
  assert.equal(bucket.waitMillis(1_000_000), 100);
});

test('tokens that are given back can be spent again, and never exceed the burst', () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 20 }, 0);
  bucket.spend(5, 0);
  assert.deepEqual(
    [bucket.left(0), bucket.waitMillis(0, 15), bucket.waitMillis(0, 20)],
    [15, 0, 500],
  );
  bucket.spend(-5, 0);
  assert.equal(bucket.left(0), 20);
  bucket.spend(-5, 0);
  assert.equal(bucket.left(0), 20);
  assert.equal(bucket.left(-1_000), 20, 'a clock that goes back takes nothing');
});
