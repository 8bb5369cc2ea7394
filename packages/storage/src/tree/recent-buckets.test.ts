import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUCKET_BYTES_MAX } from './bucket.ts';
import { RecentBuckets } from './recent-buckets.ts';

/** The number of slots; a bucket that many numbers later shares one. */
const SLOTS = 16_384;

test('a bucket is found as it was set last, until it is deleted or another takes its place', () => {
  const recent = new RecentBuckets();
  const [first, second] = [new Uint8Array(BUCKET_BYTES_MAX).fill(1), new Uint8Array(196).fill(2)];
  recent.set(70, first);
  recent.set(70, second);
  recent.set(71, first);
  assert.deepEqual(recent.get(70), second);
  recent.delete(70 + SLOTS);
  assert.deepEqual(recent.get(70), second);
  assert.equal(recent.get(70 + SLOTS), undefined);
  recent.set(70 + SLOTS, first);
  assert.equal(recent.get(70), undefined);
  assert.deepEqual(recent.get(70 + SLOTS), first);
  recent.delete(71);
  assert.equal(recent.get(71), undefined);
});

test('a record that was handed out stays as it was', () => {
  const recent = new RecentBuckets();
  recent.set(1, new Uint8Array(196).fill(1));
  const found = recent.get(1);
  recent.set(1, new Uint8Array(196).fill(2));
  assert.deepEqual(found, new Uint8Array(196).fill(1));
});
