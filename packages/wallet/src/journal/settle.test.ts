import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { openState, type State } from '../state/open-state.ts';
import { settle } from './settle.ts';

function cancelledPayment(state: State): readonly [payment: number, cancellation: number] {
  const address = state.addresses.add(0, 0, 'dsvc1one', false);
  const coin = { transactionId: 'aa'.repeat(48), outputIndex: 0, amount: 100n, source: 'regular' };
  const payload = { payloadText: null, payloadHex: null, senders: [], isMessenger: false };
  state.outputs.receive({ ...coin, ...payload, addressId: address, height: 1 }, 1);
  const add = (name: string, kind: string, replaces: number | null): number => {
    const asked = { method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 0 };
    const request = state.journal.addRequest({ ...asked, requestId: name }, 'built', '{}');
    const amounts = { amount: 10n, fee: 1n, recipients: '[]', validUntil: 9, createdAtMillis: 0 };
    const transactionId = name.padEnd(96, '0');
    const bytes = { wire: Uint8Array.of(1), replaces };
    return state.journal.addTransaction({ ...amounts, ...bytes, request, kind, transactionId });
  };
  const payment = add('aa1', 'payment', null);
  state.outputs.reserve([1], payment);
  return [payment, add('aa2', 'cancel', payment)];
}

for (const first of ['payment', 'cancellation'] as const) {
  test(`coins of a cancelled payment are held until both are decided, the ${first} first`, (t) => {
    const directory = temporaryDirectory(t);
    const identity = { fingerprint: 'ab', network: 'development' } as const;
    const state = openState(join(directory, 'wallet'), identity, 'test');
    t.after(() => state.close());
    const [payment, cancellation] = cancelledPayment(state);
    const rows = first === 'payment' ? [payment, cancellation] : [cancellation, payment];
    const isFree: boolean[] = [];
    for (const id of rows) {
      const transaction = state.journal.transaction(id);
      state.database.transaction(() =>
        settle(state, transaction, { outcome: 'expired', height: 10 }),
      );
      isFree.push(state.outputs.isFree(1));
    }
    assert.deepEqual(isFree, [false, true]);
    assert.equal(state.outputs.totals().reserved, 0n);
  });
}
