/**
 * Change at addresses that were never given out, and when it shows that a state is older than its wallet; and for how long
 * signed bytes are kept.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { openState, type State } from '../state/open-state.ts';
import { acceptOutdated, completeAbove, lostPaymentOf, markComplete } from '../state/readings.ts';
import { applyFound, applyLive } from './apply-changes.ts';
import { type DetailedChange, NO_DETAILS } from './change.ts';

const GIVEN_OUT = 2;
const TRANSACTION = 'ab'.repeat(48);

function opened(t: TestContext, path = join(temporaryDirectory(t), 'wallet')): State {
  const state = openState(path, { fingerprint: '00'.repeat(8), network: 'development' }, 'test');
  t.after(() => state.close());
  return state;
}

/** A state whose first addresses for change were given out. */
function withChange(t: TestContext): State {
  const state = opened(t);
  for (let position = 0; position < 10; position++) {
    state.addresses.add(1, position, `change-${position}`, true);
  }
  state.addresses.issueChange(GIVEN_OUT, 1);
  return state;
}

function changeAt(state: State, position: number, height: number): DetailedChange {
  const { address, id } = state.addresses.at(1, position) ?? assert.fail('not derived');
  return {
    ...{ address, addressId: id, kind: 'received', amount: '5', source: 'regular' },
    outpoint: { transaction_id: TRANSACTION, output_index: 0 },
    ...{ transaction_id: TRANSACTION, finalized_height: height, details: NO_DETAILS },
  };
}

const NONE_EXECUTED = { generation: 1, executed: new Set<string>() };

const READINGS = {
  'new cuts': (state: State, changes: readonly DetailedChange[], height: number) =>
    applyLive(state, changes, { height, cutId: '' }, { ...NONE_EXECUTED, confirmations: 1 }),
  'the past': (state: State, changes: readonly DetailedChange[]) =>
    applyFound(state, changes, new Set()),
};

test('change that was never given out shows an old state above the height from which the state is complete', (t) => {
  for (const [what, read] of Object.entries(READINGS)) {
    const lostAt = (position: number, height: number, prepare: (state: State) => void) => {
      const state = withChange(t);
      prepare(state);
      read(state, [changeAt(state, position, height)], height);
      return lostPaymentOf(state.meta);
    };
    const complete = (state: State): void => markComplete(state, 7);
    assert.equal(lostAt(GIVEN_OUT, 8, complete), TRANSACTION, what);
    assert.equal(lostAt(GIVEN_OUT - 1, 8, complete), undefined, `${what}: the wallet's own`);
    assert.equal(lostAt(GIVEN_OUT, 7, complete), undefined, `${what}: before the state was there`);
    const isNew = lostAt(GIVEN_OUT, 8, () => {});
    assert.equal(isNew, undefined, `${what}: of a state that never reached a head`);
    const isAccepted = lostAt(GIVEN_OUT, 8, (state) => {
      complete(state);
      acceptOutdated(state);
    });
    assert.equal(isAccepted, undefined, `${what}: of a state that somebody accepted`);
  }
});

test('a state is complete from the first head on that it reaches', (t) => {
  const state = withChange(t);
  markComplete(state, 7);
  markComplete(state, 9);
  assert.equal(completeAbove(state.meta), 7);
});

test('the bytes of a decided transaction stay for as long as another history could execute it', (t) => {
  const state = opened(t);
  const { journal } = state;
  const asked = { requestId: 'a', method: 'send', params: '{}', isAutomatic: false };
  const request = journal.addRequest({ ...asked, createdAtMillis: 1 }, 'built');
  const made = { request, kind: 'payment', amount: 1n, fee: 1n, recipients: '[]' };
  const decidedAt = 100;
  const ids = [1_540, 34_560, 34_660].map((validUntil) => {
    const transaction = { transactionId: `${validUntil}`, validUntil, createdAtMillis: 1 };
    const id = journal.addTransaction({ ...made, ...transaction, wire: Uint8Array.of(1) });
    journal.settle(id, { outcome: 'finalized', height: decidedAt });
    return id;
  });
  const keptAt = (height: number): boolean[] => {
    applyLive(state, [], { height, cutId: '' }, { ...NONE_EXECUTED, confirmations: 1 });
    return ids.map((id) => journal.wireOf(id) !== null);
  };
  assert.deepEqual(keptAt(1_539), [true, true, true]);
  assert.deepEqual(keptAt(1_540), [false, true, true]);
  assert.deepEqual(keptAt(34_659), [false, true, true]);
  assert.deepEqual(keptAt(34_660), [false, false, false]);
});
