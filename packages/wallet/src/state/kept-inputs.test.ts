/** Coins of transactions that a history has decided and another one has not. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { endRecovery } from '../journal/recover-state.ts';
import { settle } from '../journal/settle.ts';
import type { Outcome } from './journal.ts';
import { openState, type State } from './open-state.ts';
import { acceptOutdated, markOutdated } from './readings.ts';

const MAKER = 'aa'.repeat(48);
const AGREED = 5;

interface Scene {
  readonly state: State;
  /** Receives the coin of this index at a height. */
  receive(index: number, height: number): void;
  /** Adds an open transaction that has reserved these coins. */
  spendBy(name: string, ...coins: readonly number[]): number;
  decide(id: number, outcome: Outcome, height: number): void;
  /** Gives up what happened above the agreed height. */
  giveUp(): void;
  /** Who has reserved the coin; undefined if there is no such coin. */
  holderOf(index: number): number | null | undefined;
}

function sceneOf(t: TestContext): Scene {
  const identity = { fingerprint: '00'.repeat(8), network: 'development' };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  const addressId = state.addresses.add(0, 0, 'address-0', true);
  const asked = { method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 };
  const details = { payloadText: null, payloadHex: null, senders: [], isMessenger: false };
  const idOf = (index: number): number => state.outputs.find(MAKER, index)?.id ?? assert.fail();
  return {
    state,
    receive: (outputIndex, height) => {
      const coin = { transactionId: MAKER, outputIndex, addressId, amount: 5n, source: 'regular' };
      state.outputs.receive({ ...coin, ...details, height }, 1);
    },
    spendBy: (name, ...coins) => {
      const request = state.journal.addRequest({ ...asked, requestId: name }, 'built', '{}');
      const made = { amount: 1n, fee: 1n, recipients: '[]', validUntil: 9, createdAtMillis: 1 };
      const bytes = { wire: Uint8Array.of(1), transactionId: name.padEnd(96, '0') };
      const id = state.journal.addTransaction({ ...made, ...bytes, request, kind: 'payment' });
      state.outputs.reserve(coins.map(idOf), id);
      return id;
    },
    decide: (id, outcome, height) => {
      const transaction = state.journal.transaction(id);
      const held = state.outputs.reservedBy(id);
      settle(state, transaction, { outcome, height });
      if (outcome !== 'finalized') return;
      for (const { outputIndex } of held) {
        state.outputs.spend(MAKER, outputIndex, height, transaction.transactionId);
      }
    },
    giveUp: () => {
      state.journal.reopenAbove(AGREED);
      state.outputs.undoAbove(AGREED);
      state.inputs.reserve();
    },
    holderOf: (index) => state.outputs.find(MAKER, index)?.reservedBy,
  };
}

test('a coin that is forgotten while it is reserved is out of the totals, and reserved when it comes again', (t) => {
  const { giveUp, holderOf, receive, spendBy, state } = sceneOf(t);
  receive(0, AGREED + 1);
  const open = spendBy('open', 0);
  giveUp();
  assert.equal(holderOf(0), undefined);
  assert.deepEqual(state.outputs.totals(), {
    ...{ balance: 0n, outputCount: 0, reserved: 0n, reservedCount: 0 },
  });
  assert.deepEqual(state.inputs.of(open), [{ transactionId: MAKER, outputIndex: 0 }]);
  receive(0, AGREED + 2);
  assert.equal(holderOf(0), open);
  assert.equal(state.outputs.totals().reserved, 5n);
});

test('a coin of a transaction that came back from the journal copy is reserved whenever it comes', (t) => {
  const { holderOf, receive, spendBy, state } = sceneOf(t);
  const recovered = spendBy('recovered');
  state.inputs.add({ transactionId: MAKER, outputIndex: 0 }, recovered);
  state.meta.set('recovering', 'backup');
  endRecovery(state);
  receive(0, 1);
  assert.equal(holderOf(0), recovered);
});

test('who accepts an outdated state has the coins of a recovery reserved that it broke off', (t) => {
  const { holderOf, receive, spendBy, state } = sceneOf(t);
  receive(0, 1);
  const recovered = spendBy('recovered');
  state.inputs.add({ transactionId: MAKER, outputIndex: 0 }, recovered);
  state.meta.set('recovering', 'backup');
  markOutdated(state, MAKER);
  acceptOutdated(state);
  assert.equal(holderOf(0), recovered);
  assert.equal(state.meta.get('recovering'), undefined);
});

test('a coin that a rescan does not find is treated the same', (t) => {
  const { holderOf, receive, spendBy, state } = sceneOf(t);
  receive(0, 1);
  const open = spendBy('open', 0);
  state.outputs.forgetUnheld(1, 2);
  assert.equal(holderOf(0), undefined);
  receive(0, 1);
  assert.equal(holderOf(0), open);
});

for (const outcome of ['expired', 'conflict'] as const) {
  test(`a transaction whose end as ${outcome} is taken back has its coins again`, (t) => {
    const { decide, giveUp, holderOf, receive, spendBy } = sceneOf(t);
    receive(0, 1);
    const dead = spendBy('dead', 0);
    decide(dead, outcome, AGREED + 3);
    assert.equal(holderOf(0), null);
    giveUp();
    assert.equal(holderOf(0), dead);
  });
}

test('of transactions that spend the same coin each holds it until all are decided', (t) => {
  const { decide, giveUp, holderOf, receive, spendBy, state } = sceneOf(t);
  receive(0, 1);
  const dead = spendBy('dead', 0);
  decide(dead, 'expired', AGREED + 3);
  const paid = spendBy('paid', 0);
  decide(paid, 'finalized', AGREED + 4);
  giveUp();
  assert.equal(holderOf(0), paid);
  decide(paid, 'finalized', AGREED + 2);
  assert.equal(holderOf(0), dead, 'the other one is contested');
  assert.deepEqual(
    state.journal.contested().map(({ id }) => id),
    [dead],
  );
  decide(dead, 'conflict', AGREED + 2);
  assert.equal(holderOf(0), null);
  assert.equal(state.journal.openCount(), 0);
});

test('a coin that another has spent from under an open transaction stays reserved when that is taken back', (t) => {
  const { giveUp, holderOf, receive, spendBy, state } = sceneOf(t);
  receive(0, 1);
  const open = spendBy('open', 0);
  state.outputs.spend(MAKER, 0, AGREED + 1, 'ee'.repeat(48));
  giveUp();
  assert.equal(holderOf(0), open);
});
