import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { openState, type State } from '../state/open-state.ts';
import { shortOfFunds } from './funds.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };
const COIN = 100_000_000n;

await init();

/** A wallet with coins of 1, 2, 4 and 8, and what to do with them. */
function opened(t: TestContext) {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  const addressId = state.addresses.add(0, 0, 'a', true);
  for (const amount of [1n, 2n, 4n, 8n]) receive(state, addressId, amount * COIN);
  const request = state.journal.addRequest(
    { requestId: 'a', method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 7 },
    'built',
  );
  const spend = (coin: bigint, amount: bigint, validUntil: number, isSigned = true): number => {
    const wire = isSigned ? new Uint8Array(3) : null;
    const id = state.journal.addTransaction({
      ...{ request, kind: 'payment', transactionId: idOf(coin + 100n), wire },
      ...{ validUntil, amount: amount * COIN, fee: 0n, recipients: '[]', createdAtMillis: 7 },
    });
    const output = state.outputs.find(idOf(coin * COIN), 0);
    state.outputs.reserve([output?.id as number], id);
    return id;
  };
  const refuse = (coin: bigint, validUntil: number): void => {
    const id = spend(coin, coin, validUntil);
    state.journal.recordRefusal(id, '{}');
  };
  const short = (missing: bigint, incoming: readonly bigint[], inputCost = 0n) => {
    const waiting = incoming.map((amount) => amount * COIN);
    const { details, kind, retry } = shortOfFunds(state, {
      ...{ missing: missing * COIN, incoming: waiting, inputCost },
    });
    const funds = details['funds'] as Record<string, unknown>;
    const after = funds['repeat_after'];
    assert.equal(retry, after === null ? 'never' : 'later', 'both say whether to repeat');
    return { kind, funds, after };
  };
  return { refuse, short, spend };
}

function idOf(number: bigint): string {
  return String(number).padStart(96, '0');
}

function receive(state: State, addressId: number, amount: bigint): void {
  state.outputs.receive(
    {
      ...{ transactionId: idOf(amount), outputIndex: 0, addressId, amount, source: 'regular' },
      ...{ height: 1, payloadText: null, payloadHex: null, senders: [], isMessenger: false },
    },
    1,
  );
}

test('nothing is waiting, or not enough: more coins are needed', (t) => {
  const { refuse, short, spend } = opened(t);
  assert.deepEqual(short(1n, []), {
    kind: 'insufficient_funds',
    funds: {
      ...{ available: '15.00000000', missing: '1.00000000', change: '0.00000000' },
      ...{ incoming: '0.00000000', refused: '0.00000000', repeat_after: null },
    },
    after: null,
  });
  spend(8n, 5n, 30);
  refuse(1n, 40);
  const { funds, kind } = short(7n, [2n]);
  assert.equal(kind, 'insufficient_funds');
  assert.deepEqual(funds, {
    ...{ available: '6.00000000', missing: '7.00000000', change: '3.00000000' },
    ...{ incoming: '2.00000000', refused: '1.00000000', repeat_after: null },
  });
});

test('the nearest of what is waiting is named: change, then deposits, then the first refused transaction that expires', (t) => {
  const { refuse, short, spend } = opened(t);
  spend(8n, 5n, 30);
  refuse(1n, 50);
  refuse(2n, 40);
  const told = (missing: bigint) => {
    const { after, kind } = short(missing, [1n, 1n]);
    return [kind, after];
  };
  assert.deepEqual(told(3n), ['wallet_busy', { event: 'settled', height: null }]);
  assert.deepEqual(told(5n), ['insufficient_funds', { event: 'finalized', height: null }]);
  assert.deepEqual(told(7n), ['insufficient_funds', { event: 'settled', height: 40 }]);
  assert.deepEqual(told(8n), ['insufficient_funds', { event: 'settled', height: 50 }]);
  assert.deepEqual(told(9n), ['insufficient_funds', null]);
});

test('waiting money counts without the fee for spending it', (t) => {
  const { refuse, short } = opened(t);
  refuse(1n, 40);
  assert.deepEqual(short(2n, [2n]).after, { event: 'finalized', height: null });
  assert.deepEqual(short(2n, [2n], 1n).after, { event: 'settled', height: 40 });
  assert.equal(short(3n, [2n], 1n).after, null);
  assert.equal(short(1n, [1n, 1n], COIN).after, null, 'outputs that are not worth their fee');
});

test('what a proposal holds comes back when its time has passed, and not in a moment', (t) => {
  const { refuse, short, spend } = opened(t);
  spend(8n, 5n, 30, false);
  refuse(2n, 40);
  const { after, funds, kind } = short(7n, []);
  assert.equal(kind, 'insufficient_funds');
  assert.deepEqual(after, { event: 'settled', height: 30 });
  assert.deepEqual(
    [funds['change'], funds['proposed'], funds['refused']],
    ['0.00000000', '8.00000000', '2.00000000'],
  );
  assert.deepEqual(short(10n, []).after, { event: 'settled', height: 40 });
  assert.equal(short(11n, []).after, null);
});
