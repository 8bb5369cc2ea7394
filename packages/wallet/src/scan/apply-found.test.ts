/**
 * What reading the past once more adds to a state that counts, and that whoever asks for what is new gets it.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { MethodResult } from 'svc-api/rpc';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { received } from '../methods/incoming.ts';
import { COMMAND_LINE, type WalletPorts } from '../methods/method.ts';
import { openState, type State } from '../state/open-state.ts';
import { beginRestore, endRestore, finishRescan, markPastUnproven } from '../state/readings.ts';
import { applyFound, applyLive, isFound } from './apply-changes.ts';
import { type DetailedChange, NO_DETAILS } from './change.ts';

await init();

const EVENTS_MAX = 100_000;
const NONE: ReadonlySet<string> = new Set();

function stateOf(t: TestContext): State {
  const identity = { fingerprint: '00'.repeat(8), network: 'development' };
  const state = openState(join(temporaryDirectory(t), 'wallet'), identity, 'test');
  t.after(() => state.close());
  state.addresses.add(0, 0, 'address-0', true);
  state.addresses.issue(0, null, 0);
  return state;
}

function idOf(number: number): string {
  return number.toString(16).padStart(96, '0');
}

function paymentAt(height: number, number: number): DetailedChange {
  return {
    ...{ address: 'address-0', addressId: 1, kind: 'received', amount: '5', source: 'regular' },
    outpoint: { transaction_id: idOf(number), output_index: 0 },
    ...{ transaction_id: idOf(number), finalized_height: height, details: NO_DETAILS },
  };
}

function spendingOf(payment: DetailedChange, height: number, spender: number): DetailedChange {
  const spent = { kind: 'spent', transaction_id: idOf(spender), finalized_height: height } as const;
  return { ...payment, ...spent };
}

function follow(state: State, height: number, changes: readonly DetailedChange[]): void {
  const options = { generation: 0, executed: NONE, confirmations: 1 };
  applyLive(state, changes, { height, cutId: idOf(height) }, options);
}

test('only what the state lacks is found', (t) => {
  const state = stateOf(t);
  const known = paymentAt(3, 1);
  const spentOnly = paymentAt(2, 2);
  follow(state, 5, [known, spendingOf(spentOnly, 5, 9)]);
  const own = state.journal.addRequest(
    { requestId: 'own', method: 'send', params: '{}', isAutomatic: false, createdAtMillis: 1 },
    'built',
    '{}',
  );
  const made = { amount: 1n, fee: 1n, recipients: '[]', validUntil: 9, createdAtMillis: 1 };
  const bytes = { wire: Uint8Array.of(1), transactionId: idOf(7) };
  state.journal.addTransaction({ ...made, ...bytes, request: own, kind: 'payment' });
  const cases: readonly [string, DetailedChange, boolean][] = [
    ['a payment that is there', known, false],
    ['a payment that is not', paymentAt(3, 4), true],
    ['the height of one that was met spent', spentOnly, true],
    ['a spending that is there', spendingOf(spentOnly, 5, 9), false],
    ['a spending of a coin', spendingOf(known, 4, 8), true],
    ['a spending of what is not there', spendingOf(paymentAt(1, 5), 4, 8), true],
  ];
  for (const [what, change, expected] of cases)
    assert.equal(isFound(state, change), expected, what);
  state.outputs.spend(idOf(1), 0, 4, idOf(7));
  assert.equal(isFound(state, spendingOf(known, 4, 7)), true, 'an open payment of the wallet');
});

test('a payment that was met spent is told of once its own height is known', (t) => {
  const state = stateOf(t);
  const payment = paymentAt(2, 1);
  follow(state, 5, [spendingOf(payment, 5, 9)]);
  assert.deepEqual(state.outputs.receivedAfter(0, 9, 9), []);
  applyFound(state, [payment], NONE);
  const told = state.outputs.receivedAfter(0, 9, 9);
  assert.deepEqual(
    told.map(({ height, spentHeight, toldHeight }) => [height, spentHeight, toldHeight]),
    [[2, 5, 6]],
  );
});

test('what a node says of a coin before it is proven is not what is told of it', (t) => {
  const lies = { amount: '999', source: 'genesis', addressId: 2 } as const;
  const proven = paymentAt(6, 1);
  const readings: readonly ((state: State) => void)[] = [
    (state) => follow(state, 6, [proven]),
    (state) => void applyFound(state, [proven], NONE),
  ];
  for (const read of readings) {
    const state = stateOf(t);
    state.addresses.add(0, 1, 'address-1', true);
    follow(state, 5, [{ ...spendingOf(proven, 5, 9), ...lies }]);
    read(state);
    const told = state.outputs.ofTransaction(idOf(1));
    assert.deepEqual(
      told.map(({ address, amount, height, source }) => [address, amount, height, source]),
      [['address-0', 5n, 6, 'regular']],
    );
    state.outputs.undoSpend(told[0]?.id ?? assert.fail(), 9);
    assert.equal(state.outputs.totals().balance, 5n);
    assert.equal(state.addresses.get(1).balance, 5n);
  }
});

test('with fixed addresses nothing that is found is told of before all was read', (t) => {
  const state = stateOf(t);
  state.meta.set('fixed_addresses', '1');
  follow(state, 5, []);
  applyFound(state, [paymentAt(2, 1)], NONE);
  follow(state, 6, []);
  assert.deepEqual(state.outputs.receivedAfter(0, 6, 9), []);
  state.outputs.tellWaiting(7);
  assert.deepEqual(
    state.outputs.receivedAfter(6, 7, 9).map(({ height, toldHeight }) => [height, toldHeight]),
    [[2, 7]],
  );
});

/** What may befall a wallet, one after the other; whoever asks reads one page at a time. */
const STEPS = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant('cut' as const), payments: fc.nat(3) }),
    fc.record({
      step: fc.constant('find' as const),
      below: fc.array(fc.nat(20), { maxLength: 3 }),
    }),
    fc.record({
      step: fc.constant('restore' as const),
      below: fc.array(fc.nat(20), { maxLength: 3 }),
    }),
    fc.record({ step: fc.constant('ask' as const), limit: fc.integer({ min: 1, max: 4 }) }),
  ),
  { maxLength: 40 },
);

/** A caller that stores the height that it is told, and asks for what is new, page by page. */
class Caller {
  readonly told: string[] = [];
  readonly #withCursor: boolean;
  #since = 0;
  #cursor = '0';

  constructor(withCursor: boolean) {
    this.#withCursor = withCursor;
  }

  /** Reads the next page; false if there is no further one. */
  ask(state: State, indexedHeight: number, limit: number): boolean {
    const wallet = { state, scanner: { indexedHeight } } as unknown as WalletPorts;
    const cursor = this.#withCursor ? { cursor: this.#cursor } : {};
    const params = { since_height: this.#since, limit, ...cursor };
    const page = received(wallet, params, COMMAND_LINE) as MethodResult<'received'>;
    for (const { transaction } of page.payments) this.told.push(transaction);
    this.#cursor = page.next_cursor ?? '0';
    if (!this.#withCursor || !page.more) this.#since = page.indexed_height;
    return page.more;
  }
}

test('whoever asks for what is new is told every payment once, and so do events', (t) => {
  const runs = fc.property(STEPS, fc.boolean(), (steps, withCursor) => {
    const state = stateOf(t);
    const caller = new Caller(withCursor);
    const paid: string[] = [];
    let height = 0;
    let wasRestored = false;
    const pay = (at: number): DetailedChange => {
      const payment = paymentAt(at, paid.length + 1);
      paid.push(payment.transaction_id);
      return payment;
    };
    const cut = (payments: number): void => {
      height++;
      follow(
        state,
        height,
        Array.from({ length: payments }, () => pay(height)),
      );
    };
    for (const each of steps) {
      if (each.step === 'cut') cut(each.payments);
      else if (each.step === 'ask') caller.ask(state, height, each.limit);
      else if (height > 0) {
        const found = each.below.map((below) => pay(Math.max(1, height - below)));
        if (each.step === 'find') applyFound(state, found, NONE);
        else {
          wasRestored = true;
          beginRestore(state);
          markPastUnproven(state);
          endRestore(state, height);
          applyFound(state, found, NONE);
          finishRescan(state);
        }
      }
    }
    cut(0);
    while (caller.ask(state, height, 3));
    // The page that was under way may have ended at the cut before.
    while (caller.ask(state, height, 3));
    // A cursor from before begins anew at the height that its caller has stored.
    const told = wasRestored && withCursor ? [...new Set(caller.told)] : caller.told;
    assert.deepEqual(told.sort(), paid.sort());
    const events = state.events.after(0, EVENTS_MAX).filter(({ event }) => event === 'finalized');
    const inEvents = events.flatMap(({ data }) => {
      const { height: at, payments } = JSON.parse(data) as {
        readonly height: number;
        readonly payments: readonly { readonly transaction: string; readonly height: number }[];
      };
      for (const payment of payments) assert.equal(payment.height, at);
      return payments.map(({ transaction }) => transaction);
    });
    assert.deepEqual(inEvents.sort(), paid.sort());
  });
  fc.assert(runs, { numRuns: 25 });
});
