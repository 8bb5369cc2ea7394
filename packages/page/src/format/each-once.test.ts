import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachOnce } from './each-once.ts';

type Recent = Parameters<typeof eachOnce>[0][number];

test('a transaction that several blocks carry is listed where it was executed', () => {
  const row = (transaction_id: string, outcome: string, block_id: string) =>
    ({ transaction_id, outcome, block_id }) as Recent;
  const listed = eachOnce([
    row('b', 'skipped', '3'),
    row('a', 'skipped', '3'),
    row('b', 'finalized', '2'),
    row('a', 'finalized', '2'),
    row('a', 'skipped', '1'),
    row('c', 'skipped', '1'),
  ]);
  assert.deepEqual(
    listed.map(({ transaction_id, outcome, block_id }) => [transaction_id, outcome, block_id]),
    [
      ['b', 'finalized', '2'],
      ['a', 'finalized', '2'],
      ['c', 'skipped', '1'],
    ],
  );
});
