import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showResult } from './show.ts';

test('text from others in a result cannot move the cursor or colour', () => {
  const shown = showResult('history', { entries: [{ height: 1, direction: '\u001b[31mred' }] });
  assert.ok(!shown.includes('\u001b'), shown);
});

test('tables of one answer have their names above them', () => {
  const row = [{ amount: '1' }];
  const shown = showResult('transaction', { id: 'ab', received: row, waiting: row, others: [] });
  assert.equal(shown, 'id  ab\n\nreceived\namount\n1\n\nwaiting\namount\n1\n\nno others');
  assert.equal(showResult('incoming', { payments: row }), 'amount\n1');
});
