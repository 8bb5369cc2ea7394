import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { JournalTransaction } from '../state/journal.ts';
import { openState, type State } from '../state/open-state.ts';
import { COMMAND_LINE, type WalletPorts } from './method.ts';
import { request } from './outgoing.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

await init();

function opened(t: TestContext): State {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  return state;
}

function asked({ journal }: State, requestId: string, method: string): number {
  return journal.addRequest(
    { requestId, method, params: '{}', isAutomatic: false, createdAtMillis: 7 },
    'accepted',
  );
}

let made = 0;

function transactionFor({ journal }: State, request: number, kind: string): JournalTransaction {
  const id = journal.addTransaction({
    ...{ request, kind, transactionId: String(++made).padStart(96, '0') },
    ...{ wire: new Uint8Array(3), validUntil: 10, amount: 5n, fee: 1n, recipients: '[]' },
    createdAtMillis: 7,
  });
  return journal.transaction(id);
}

const look = (state: State, requestId: string, inFlight?: string) =>
  request(
    {
      state,
      outgoing: { methodInFlight: () => inFlight },
      scanner: { indexedHeight: 9 },
    } as unknown as WalletPorts,
    { request_id: requestId },
    COMMAND_LINE,
  );

test('a name that was never used is unknown, and one whose call is running is being made', async (t) => {
  const state = opened(t);
  assert.throws(() => look(state, 'a'), { kind: 'unknown_request', path: 'request_id' });
  const found = await look(state, 'a', 'send');
  assert.deepEqual([found.state, found.method, found.outcome], ['making', 'send', null]);
});

test('a payment is told by its own transaction, whatever became of merges before it', async (t) => {
  const state = opened(t);
  const { journal } = state;
  const id = asked(state, 'a', 'send');
  const merge = transactionFor(state, id, 'compound');
  journal.settle(merge.id, { outcome: 'expired', height: 3 });
  const waiting = await look(state, 'a');
  assert.deepEqual([waiting.state, waiting.outcome, waiting.result], ['making', null, null]);
  const payment = transactionFor(state, id, 'payment');
  journal.finishRequest(id, '{"kind":"payment"}');
  assert.equal((await look(state, 'a')).outcome, null);
  journal.settle(payment.id, { outcome: 'finalized', height: 8 });
  const found = await look(state, 'a');
  assert.deepEqual(
    [found.state, found.outcome, found.result, found.indexed_height],
    ['made', 'finalized', { kind: 'payment' }, 9],
  );
  assert.deepEqual(
    found.transactions.map(({ kind, outcome, height }) => [kind, outcome, height]),
    [
      ['compound', 'expired', 3],
      ['payment', 'finalized', 8],
    ],
  );
});

test('merging that was asked for is told by its transactions', async (t) => {
  const state = opened(t);
  const id = asked(state, 'a', 'compound');
  const merge = transactionFor(state, id, 'compound');
  state.journal.finishRequest(id, '{"kind":"compound"}');
  state.journal.settle(merge.id, { outcome: 'expired', height: 3 });
  assert.equal((await look(state, 'a')).outcome, 'expired');
});

test('a request that came back without its end is held until it is released', async (t) => {
  const state = opened(t);
  const id = asked(state, 'a', 'send');
  transactionFor(state, id, 'compound');
  assert.equal(state.stopped.holdAccepted(), 1);
  const { held, state: told } = await look(state, 'a');
  assert.deepEqual([told, held, state.journal.acceptedRequests()], ['making', true, []]);
  state.stopped.release(id);
  assert.equal((await look(state, 'a')).held, undefined);
  assert.deepEqual(
    state.journal.acceptedRequests().map((request) => request.id),
    [id],
  );
});

test('a request that came to nothing tells why', async (t) => {
  const state = opened(t);
  const id = asked(state, 'a', 'send');
  transactionFor(state, id, 'compound');
  state.stopped.refuse(id, '{"kind":"insufficient_funds","message":"no"}');
  const found = await look(state, 'a');
  assert.deepEqual(
    [found.state, found.outcome, found.refusal],
    ['refused', null, { kind: 'insufficient_funds', message: 'no' }],
  );
});
