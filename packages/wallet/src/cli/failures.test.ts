import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT } from 'svc-base/cli';
import { WalletError } from '../errors.ts';
import { describeFailure } from './failures.ts';

const FUNDS = {
  available: '1.00000000',
  missing: '2.50000000',
  change: '0.00000000',
  incoming: '3.00000000',
  refused: '0.00000000',
};

function hintOf(repeat_after: object | null): string | undefined {
  const details = { funds: { ...FUNDS, repeat_after } };
  const options = { hint: 'refill the wallet', details };
  const error = new WalletError('insufficient_funds', 'not enough', options);
  return describeFailure(error)?.hint;
}

test('a payment that lacks coins says what there is, what is waiting and when to repeat', () => {
  const known = 'refill the wallet; available 1.00000000, missing 2.50000000, incoming 3.00000000';
  assert.equal(
    hintOf({ event: 'finalized', height: null }),
    `${known}; it can be paid after the event finalized`,
  );
  assert.equal(
    hintOf({ event: 'settled', height: 81 }),
    `${known}; it can be paid after the event settled above height 81`,
  );
  assert.equal(hintOf(null), `${known}; nothing that is waiting would cover it`);
});

test('other refusals have the hint that they came with', () => {
  const error = new WalletError('unknown_address', 'no', { hint: 'look again', details: { a: 1 } });
  assert.equal(describeFailure(error)?.hint, 'look again');
  assert.equal(describeFailure(new WalletError('unknown_address', 'no'))?.hint, undefined);
});

test('a call that was refused because its token was revoked says nothing of earlier ones of its name', () => {
  const code = (kind: 'token_revoked' | 'unknown_address') =>
    describeFailure(new WalletError(kind, 'no')).exitCode;
  assert.deepEqual([code('token_revoked'), code('unknown_address')], [EXIT.unknown, EXIT.refused]);
});
