import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { Database } from './database.ts';
import { openState } from './open-state.ts';

test('each list of what is due is read from an index of its own', (t) => {
  const identity = { fingerprint: '00'.repeat(8), network: 'development' };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  const { database, journal } = state;
  const queries: string[] = [];
  t.mock.method(database, 'prepare', (sql: string) => {
    queries.push(sql);
    return Database.prototype.prepare.call(database, sql);
  });
  const planOf = (list: () => unknown): string => {
    list();
    const query = queries.splice(0).at(-1) ?? '';
    const given = Array.from(query.matchAll(/\?/g), () => 0);
    const rows = state.database.prepare(`EXPLAIN QUERY PLAN ${query}`).all(...given);
    return rows.map((row) => String((row as { detail: unknown }).detail)).join('; ');
  };
  assert.match(
    planOf(() => journal.expiredAt(0)),
    /^SEARCH transactions USING INDEX transactions_by_valid/,
  );
  assert.match(
    planOf(() => journal.unsent()),
    /^SCAN transactions USING INDEX transactions_unsent/,
  );
  const contested = planOf(() => journal.contested());
  assert.match(contested, /^SEARCH transactions USING/);
  assert.match(contested, /SEARCH outputs USING INDEX outputs_contested/);
  const settled = planOf(() => journal.listSettledBefore(0, 0, 1));
  assert.match(settled, /^SEARCH transactions USING INDEX transactions_by_height/);
  assert.doesNotMatch(settled, /B-TREE/);
});
