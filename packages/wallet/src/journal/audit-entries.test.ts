import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditSignature, auditTransaction } from './record.ts';

test('an entry has its fields in their order, whatever happened', () => {
  const told: string[] = [];
  const journal = {} as Parameters<typeof auditTransaction>[0]['journal'];
  const auditOutbox = { add: (entry: string) => told.push(entry) };
  const state = { auditOutbox, journal } as unknown as Parameters<typeof auditTransaction>[0];
  const recipients = [{ to: 'dsvc1"\n', amount: '1.00000000' }];
  const transaction = {
    ...{ request: 1, kind: 'payment', transactionId: 'ab', validUntil: 9, amount: 150_000_000n },
    ...{ fee: 10_000n, recipients: JSON.stringify(recipients), createdAtMillis: 1 },
  };
  const asked = { caller: null, method: 'send', requestId: 'r"1' };
  const refusal = { code: 'x', message: 'y' };
  auditTransaction(state, transaction, { event: 'made' }, asked);
  auditTransaction(state, transaction, { event: 'refused', refusal }, asked);
  auditTransaction(state, transaction, { event: 'expired', height: 7 }, asked);
  const about = {
    ...{ caller: null, request_id: 'r"1', method: 'send', transaction: 'ab', kind: 'payment' },
    ...{ amount: '1.50000000', fee: '0.00010000', recipients },
  };
  assert.deepEqual(told, [
    JSON.stringify({ event: 'made', ...about }),
    JSON.stringify({ event: 'refused', ...about, refusal }),
    JSON.stringify({ event: 'expired', ...about, height: 7 }),
  ]);
});

test('an entry of a signature has the digest that was signed', () => {
  const told: string[] = [];
  const recipients = [{ to: 'dsvc1', amount: '1.50000000' }];
  const about = {
    ...{ caller: 'main', request_id: 'shared:ab', method: 'shared_sign', transaction: 'ab' },
    ...{ kind: 'shared_payment', amount: '1.50000000', fee: '0.00010000', recipients },
  };
  auditSignature({ auditOutbox: { add: (entry) => told.push(entry) } }, { ...about, digest: 'cd' });
  assert.deepEqual(told, [JSON.stringify({ event: 'signed', ...about, digest: 'cd' })]);
});
