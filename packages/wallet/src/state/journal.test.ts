import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import type { Row } from './database.ts';
import type { NewTransaction } from './journal.ts';
import { MIGRATIONS } from './migrations.ts';
import { openState, type State, statePath } from './open-state.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };
/** The version of the last tables that kept signed bytes in the row of their transaction. */
const VERSION_BEFORE_WIRES = 7;
/** The version of the last tables whose conditions listed the states and outcomes that there are. */
const VERSION_BEFORE_REFUSALS = 11;
const VERSION_BEFORE_CONDITIONS = 10;

function opened(t: TestContext, path = join(temporaryDirectory(t), 'wallet')): State {
  const state = openState(path, IDENTITY, 'test');
  t.after(() => state.close());
  return state;
}

function addTransaction(state: State, name: string, wire: Uint8Array | null): number {
  const { journal } = state;
  const asked = { method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 };
  const request = journal.addRequest({ requestId: name, ...asked }, 'built');
  const made: NewTransaction = {
    ...{ request, kind: 'payment', transactionId: name.repeat(48), wire, validUntil: 10 },
    ...{ amount: 1n, fee: 1n, recipients: '[]', createdAtMillis: 1 },
  };
  return journal.addTransaction(made);
}

function wiresOf({ journal }: State, ids: readonly number[]): (number[] | null)[] {
  return ids.map((id) => {
    const wire = journal.wireOf(id);
    return wire === null ? null : [...wire];
  });
}

test('bytes stay from the first record until their outcome is old, and open again with it', (t) => {
  const state = opened(t);
  const { journal } = state;
  const ids = ['aa', 'bb', 'cc'].map((name, at) => addTransaction(state, name, Uint8Array.of(at)));
  const [early = 0, late = 0, open = 0] = ids;
  journal.recordAttempt(early);
  journal.markKnown(early);
  journal.settle(early, { outcome: 'finalized', height: 5 });
  journal.settle(late, { outcome: 'finalized', height: 9 });
  assert.deepEqual(wiresOf(state, ids), [[0], [1], [2]]);
  journal.forgetWires(5);
  assert.deepEqual(wiresOf(state, ids), [null, [1], [2]]);
  journal.reopenAbove(0);
  const states = [early, late, open].map((id) => journal.transaction(id).state);
  assert.deepEqual(states, ['known', 'submitted', 'built'], 'what has no bytes is not sent again');
});

test('bytes that come later are the first and the last of their transaction', (t) => {
  const state = opened(t);
  const { journal } = state;
  const open = addTransaction(state, 'aa', null);
  const settled = addTransaction(state, 'bb', null);
  journal.settle(settled, { outcome: 'expired', height: 5 });
  assert.deepEqual(wiresOf(state, [open, settled]), [null, null]);
  for (const wire of [Uint8Array.of(1), Uint8Array.of(2)]) {
    journal.addWire(open, wire);
    journal.addWire(settled, wire);
  }
  assert.deepEqual(wiresOf(state, [open, settled]), [[1], null]);
});

test('a state of the release before keeps the bytes of its payments', (t) => {
  const path = join(temporaryDirectory(t), 'wallet');
  const before = new DatabaseSync(statePath(path));
  for (const migration of MIGRATIONS.slice(0, VERSION_BEFORE_WIRES)) before.exec(migration);
  before.exec(`PRAGMA user_version = ${VERSION_BEFORE_WIRES};
    INSERT INTO requests(id, request_id, method, params, automatic, state, created_at_millis)
      VALUES(1, 'r', 'send', '{}', 0, 'built', 1);
    INSERT INTO transactions(id, request, kind, transaction_id, wire, valid_until, amount, fee,
      recipients, state, outcome, final_height, attempts, created_at_millis)
      VALUES(3, 1, 'payment', 'aa', x'0a', 10, 5, 1, '[]', 'submitted', NULL, NULL, 2, 1),
        (4, 1, 'payment', 'bb', x'0b', 10, 5, 1, '[]', 'final', 'finalized', 8, 1, 1),
        (5, 1, 'payment', 'cc', NULL, 10, 5, 1, '[]', 'final', 'expired', 2, 1, 1);`);
  before.close();
  chmodSync(statePath(path), 0o600);
  const state = opened(t, path);
  assert.deepEqual(wiresOf(state, [3, 4, 5]), [[10], [11], null]);
  const { attempts, state: kept } = state.journal.transaction(3);
  assert.deepEqual([attempts, kept], [2, 'submitted']);
  state.journal.forgetWires(8);
  assert.deepEqual(wiresOf(state, [3, 4, 5]), [[10], null, null]);
  const { count } = state.database.prepare('SELECT COUNT(*) AS count FROM wires').get() as Row;
  assert.equal(count, 1n);
});

test('states and outcomes that there are none of are refused, in a state of the release before as in a new one', (t) => {
  const path = join(temporaryDirectory(t), 'wallet');
  const before = new DatabaseSync(statePath(path));
  for (const migration of MIGRATIONS.slice(0, VERSION_BEFORE_CONDITIONS)) before.exec(migration);
  before.exec(`PRAGMA user_version = ${VERSION_BEFORE_CONDITIONS};
    INSERT INTO requests(id, request_id, method, params, automatic, state, created_at_millis)
      VALUES(1, 'r', 'send', '{}', 0, 'built', 1);`);
  before.close();
  chmodSync(statePath(path), 0o600);
  for (const state of [opened(t, path), opened(t)]) {
    const row = addTransaction(state, 'aa', Uint8Array.of(1));
    const refuses = (set: string, of = 'transactions'): void =>
      assert.throws(() => state.database.execute(`UPDATE ${of} SET ${set}`), /CHECK constraint/);
    refuses("state = 'lost'");
    refuses("state = 'final'");
    refuses("state = 'final', outcome = 'lost'");
    refuses("outcome = 'finalized'");
    refuses("state = 'final'", 'requests');
    state.journal.markKnown(row);
    state.journal.settle(row, { outcome: 'expired', height: 5 });
    assert.equal(state.journal.transaction(row).outcome, 'expired');
    const check = state.database.prepare('PRAGMA integrity_check').get() as Row;
    assert.equal(check['integrity_check'], 'ok');
  }
});

test('what a state of the release before has refused is numbered', (t) => {
  const path = join(temporaryDirectory(t), 'wallet');
  const before = new DatabaseSync(statePath(path));
  before.enableDefensive(false);
  for (const migration of MIGRATIONS.slice(0, VERSION_BEFORE_REFUSALS)) before.exec(migration);
  before.exec(`PRAGMA user_version = ${VERSION_BEFORE_REFUSALS};
    INSERT INTO requests(id, request_id, method, params, automatic, state, refusal, created_at_millis)
      VALUES(1, 'a', 'send', '{}', 0, 'refused', '{}', 1), (2, 'b', 'send', '{}', 0, 'accepted', NULL, 1),
        (3, 'c', 'send', '{}', 0, 'refused', '{}', 1);`);
  before.close();
  chmodSync(statePath(path), 0o600);
  const { journal, stopped } = opened(t, path);
  assert.deepEqual(
    stopped.refusalsAfter(0, 10).map(({ request }) => request),
    [1, 3],
  );
  assert.deepEqual([stopped.newestRefusal(), stopped.refusalOf('b')], [2, undefined]);
  assert.deepEqual(
    journal.acceptedRequests().map(({ requestId }) => requestId),
    ['b'],
  );
});

test('no row of a payment is written through a table that SQLite makes for the statement', (t) => {
  const { database } = opened(t);
  const columns = 'request, kind, transaction_id, valid_until, amount, fee, recipients, state';
  const statements = [
    "INSERT INTO requests(request_id, method, params, automatic, state, created_at_millis) VALUES('r', '', '', 0, 'built', 1)",
    `INSERT INTO transactions(${columns}, created_at_millis) VALUES(1, '', 'aa', 1, 1, 1, '', 'built', 1)`,
    "UPDATE transactions SET state = 'known' WHERE id = 1 AND state IN ('built', 'submitted')",
  ];
  for (const statement of statements) {
    const steps = database.prepare(`EXPLAIN ${statement}`).all() as Row[];
    assert.ok(steps.length > 0);
    assert.ok(!steps.some(({ opcode }) => opcode === 'OpenEphemeral'), statement);
  }
});
