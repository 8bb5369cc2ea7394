import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import type { Row } from './database.ts';
import type { NewTransaction } from './journal.ts';
import { openState, type State } from './open-state.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };
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

test('unknown states and outcomes are refused', (t) => {
  const state = opened(t);
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
