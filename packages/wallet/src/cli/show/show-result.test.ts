import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showResult } from './show-result.ts';

test('text from others in a result cannot move the cursor or colour', () => {
  const shown = showResult('history', { entries: [{ height: 1, direction: '\u001b[31mred' }] });
  assert.ok(!shown.includes('\u001b'), shown);
});
