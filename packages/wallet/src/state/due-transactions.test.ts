import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { DUE_QUERIES } from './due-transactions.ts';
import { SETTLED_QUERY } from './journal.ts';
import { openState } from './open-state.ts';

test('each list of what is due is read from an index of its own', (t) => {
  const identity = { fingerprint: '00'.repeat(8), network: 'development' };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  const planOf = (query: string): string => {
    const given = Array.from(query.matchAll(/\?/g), () => 0);
    const rows = state.database.prepare(`EXPLAIN QUERY PLAN ${query}`).all(...given);
    return rows.map((row) => String((row as { detail: unknown }).detail)).join('; ');
  };
  assert.match(
    planOf(DUE_QUERIES.expired),
    /^SEARCH transactions USING INDEX transactions_by_valid/,
  );
  assert.match(planOf(DUE_QUERIES.unsent), /^SCAN transactions USING INDEX transactions_unsent/);
  const contested = planOf(DUE_QUERIES.contested);
  assert.match(contested, /^SEARCH transactions USING/);
  assert.match(contested, /SEARCH outputs USING INDEX outputs_contested/);
  const settled = planOf(SETTLED_QUERY);
  assert.match(settled, /^SEARCH transactions USING INDEX transactions_by_height/);
  assert.doesNotMatch(settled, /B-TREE/);
});
