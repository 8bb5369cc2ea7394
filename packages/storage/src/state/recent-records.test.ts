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

test('the newest records stay, the oldest go, and what the state no longer has is gone', () => {
  const recent = new RecentRecords();
  const many = 40_000;
  for (let height = 0; height < many; height++)
    recent.set('outputs', `${height}`, outputOf(height));
  assert.equal(recent.get('outputs', '0'), undefined);
  assert.equal(recent.get('outputs', `${many - 1}`)?.height, many - 1);
  assert.equal(recent.get('outputs', `${many - 32_768}`)?.height, many - 32_768);
  assert.equal(recent.get('outputs', `${many - 32_769}`), undefined);
  recent.set('outputs', `${many - 1}`, undefined);
  assert.equal(recent.get('outputs', `${many - 1}`), undefined);
  recent.set('bodies', 'a', { blockId: 'b' });
  assert.equal(recent.get('bodies', 'a'), undefined);
});
