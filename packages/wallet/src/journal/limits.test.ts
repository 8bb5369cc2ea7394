import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { openState, type State } from '../state/open-state.ts';
import {
  type Caller,
  chargeBudget,
  expectWithinLimits,
  formatBudget,
  mayDecideOn,
  spendingOf,
} from './limits.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };
const DAY = 86_400_000;
const BUDGET = { budget: 'a', dayMax: 100n };

await init();

function opened(t: TestContext): State {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  return state;
}

function payment(amount: bigint, fee: bigint, kind = 'payment') {
  return { kind, amount, recipients: [{ to: 'x', amount: '1' }], built: { plan: { fee } } };
}

test('a day has 24 hours from each moment, and a clock that was set back opens no new one', (t) => {
  const state = opened(t);
  const charge = (atoms: bigint, at: number): void =>
    chargeBudget(state, BUDGET, [payment(atoms - 1n, 1n)], at);
  charge(60n, DAY);
  charge(40n, DAY + 5);
  assert.throws(() => charge(1n, DAY + 6), {
    kind: 'day_limit',
    details: { limit: 'day_max', day_max: '0.00000100', spent: '0.00000100', amount: '0.00000001' },
  });
  assert.throws(() => charge(1n, 2 * DAY - 1), { kind: 'day_limit' });
  charge(60n, 2 * DAY);
  assert.throws(() => charge(1n, 2 * DAY + 4), { kind: 'day_limit' });
  assert.throws(() => charge(1n, 5), { kind: 'day_limit' }, 'the clock was set back');
  charge(40n, 2 * DAY + 5);
  chargeBudget(state, { budget: 'b', dayMax: 100n }, [payment(99n, 1n)], 2 * DAY + 5);
});

test('what was spent while the clock was ahead counts until then, and what is spent after it as well', (t) => {
  const state = opened(t);
  const charge = (budget: string, atoms: bigint, at: number): void =>
    chargeBudget(state, { budget, dayMax: 100n }, [payment(atoms - 1n, 1n)], at);
  const ahead = 300 * DAY;
  charge('a', 60n, ahead);
  charge('a', 40n, DAY);
  assert.throws(() => charge('a', 1n, 5 * DAY), { kind: 'day_limit' });
  assert.throws(() => charge('a', 1n, ahead + DAY - 1), { kind: 'day_limit' });
  charge('a', 100n, ahead + DAY);
  charge('b', 100n, DAY);
});

test('a caller with limits decides on requests of its own budget, one without on all', () => {
  const limits = { budget: 'a', paymentMax: null, dayMax: 100n, allowlist: null };
  const requests = [BUDGET, { budget: 'b', dayMax: 100n }].map((budget) => ({
    budget: formatBudget(budget),
  }));
  const decidesOn = (caller: Caller | undefined): boolean[] =>
    [...requests, { budget: null }].map((request) => mayDecideOn(caller, request));
  assert.deepEqual(decidesOn({ name: 'a-2', limits }), [true, false, false]);
  assert.deepEqual(decidesOn({ name: 'main', limits: null }), [true, true, true]);
  assert.deepEqual(decidesOn(undefined), [true, true, true]);
});

test('a charge is undone with the commit that it belongs to', (t) => {
  const state = opened(t);
  assert.throws(() =>
    state.database.transaction(() => {
      chargeBudget(state, BUDGET, [payment(90n, 1n)], DAY);
      throw new Error('killed');
    }),
  );
  assert.equal(state.spendings.spentSince('a', 0), 0n);
});

test('what stays in the wallet counts by its fee alone', () => {
  const made = [payment(50n, 2n, 'compound'), payment(7n, 3n), payment(9n, 1n, 'split')];
  assert.deepEqual(spendingOf(made), { amount: 7n, fee: 6n, to: ['x'] });
});

test('a refusal names its limit: the allowlist, the payment, the day', (t) => {
  const state = opened(t);
  const limits = { ...BUDGET, paymentMax: 50n, allowlist: ['x', 'y'] };
  const expect = (amount: bigint, fee: bigint, ...to: string[]): void =>
    expectWithinLimits(state, limits, { amount, fee, to }, DAY);
  expect(50n, 50n, 'x', 'y');
  assert.throws(() => expect(1n, 1n, 'x', 'z'), {
    kind: 'not_allowlisted',
    details: { limit: 'allowlist', address: 'z' },
  });
  assert.throws(() => expect(51n, 0n, 'x'), {
    kind: 'payment_limit',
    details: { limit: 'payment_max', payment_max: '0.00000050', amount: '0.00000051' },
  });
  assert.throws(() => expect(50n, 51n, 'x'), { kind: 'day_limit' });
  assert.equal(state.spendings.spentSince('a', 0), 0n, 'looking charges nothing');
});
