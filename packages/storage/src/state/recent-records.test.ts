import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutputRecord } from 'svc-ledger';
import { RecentRecords } from './recent-records.ts';

const outputOf = (height: number): OutputRecord => ({
  address: '01'.repeat(33),
  amount: 1n,
  source: 'regular',
  height,
});

const KEPT = 32_768;

test('the newer half of the limit stays, the oldest go, and what the state no longer has is gone', () => {
  const recent = new RecentRecords();
  const many = 40_000;
  for (let height = 0; height < many; height++)
    recent.set('outputs', `${height}`, outputOf(height));
  assert.equal(recent.get('outputs', '0'), undefined);
  assert.equal(recent.get('outputs', `${many - 1}`)?.height, many - 1);
  assert.equal(recent.get('outputs', `${many - KEPT / 2}`)?.height, many - KEPT / 2);
  assert.equal(recent.get('outputs', `${many - KEPT - 1}`), undefined);
  recent.set('outputs', `${many - 1}`, undefined);
  assert.equal(recent.get('outputs', `${many - 1}`), undefined);
  recent.set('bodies', 'a', { blockId: 'b' });
  assert.equal(recent.get('bodies', 'a'), undefined);
});

test('a record that is asked for stays, and has the value of the newest change', () => {
  const recent = new RecentRecords();
  recent.set('outputs', 'used', outputOf(1));
  for (let height = 0; height < 4 * KEPT; height++) {
    recent.set('outputs', `${height}`, outputOf(height));
    if (height % (KEPT / 4) === 0) assert.equal(recent.get('outputs', 'used')?.height, 1);
  }
  // By now it is of the old generation: neither a change nor a removal may leave it there.
  for (let height = 0; height < KEPT / 2; height++)
    recent.set('outputs', `later ${height}`, outputOf(height));
  recent.set('outputs', 'used', outputOf(2));
  assert.equal(recent.get('outputs', 'used')?.height, 2);
  recent.set('outputs', 'used', undefined);
  assert.equal(recent.get('outputs', 'used'), undefined);
});
