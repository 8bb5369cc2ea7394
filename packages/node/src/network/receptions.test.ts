import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isErrorCode } from 'svc-api';
import { blockReception, transactionReception } from './node-application.ts';

function ofTransaction(code: string): string {
  return transactionReception({ type: 'refused', code, message: '' }).reception;
}

function ofBlock(code: string): string {
  return blockReception({ type: 'refused', code, message: '' });
}

test('a peer is blamed for what is wrong in itself, not for what time or room explain', () => {
  for (const code of ['bad_spend_signature', 'truncated', 'duplicate_input', 'wrong_chain'])
    assert.equal(ofTransaction(code), 'reject', code);
  for (const code of ['conflict', 'expired', 'mempool_full', 'fee_too_low'])
    assert.equal(ofTransaction(code), 'ignore', code);
  for (const code of ['bad_block', 'wrong_target', 'bad_parents'])
    assert.equal(ofBlock(code), 'reject', code);
  assert.equal(ofBlock('body_used'), 'ignore');
  assert.equal(ofBlock('target_missed'), 'no_work');
  assert.equal(blockReception({ type: 'late', code: 'late', message: '' }), 'ignore');
});

test('what another cut or a calmer moment may change is looked at again', () => {
  const transactions = ['unknown_input', 'not_yet_valid', 'key_not_registered', 'no_effect'];
  for (const code of [...transactions, 'overloaded']) {
    assert.equal(ofTransaction(code), 'later', code);
    assert.ok(isErrorCode(code), code);
  }
  for (const code of ['unknown_anchor', 'block_pool_full', 'overloaded'])
    assert.equal(ofBlock(code), 'later', code);
});

test('a heartbeat of a key that the state here does not name yet is looked at again', () => {
  const refused = { type: 'refused', code: 'bad_operation_signature', message: '' } as const;
  assert.deepEqual(
    transactionReception(refused, () => true),
    { reception: 'later' },
  );
  assert.deepEqual(
    transactionReception(refused, () => false),
    { reception: 'reject' },
  );
});

test('every code that is looked for is one of the catalogue', () => {
  const named = [
    'bad_spend_signature',
    'target_missed',
    'bad_block',
    'wrong_target',
    'bad_parents',
  ];
  assert.deepEqual(
    named.filter((code) => !isErrorCode(code)),
    [],
  );
});

test('what was taken keeps its id', () => {
  assert.deepEqual(transactionReception({ type: 'accepted', id: 'a' }), {
    reception: 'accepted',
    id: 'a',
  });
  assert.equal(blockReception({ type: 'known', id: 'a' }), 'known');
});
