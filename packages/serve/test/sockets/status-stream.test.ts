import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionStatusEntry } from 'svc-api';
import { SocketNode } from './testing/socket-node.ts';

const ID = 'ab'.repeat(48);
const PATH = `/v1/transactions/${ID}/status/stream`;
const CUT = {
  height: 7,
  cut_id: '01'.repeat(48),
  state_root: '02'.repeat(48),
  validator_set_id: '03'.repeat(48),
};

const PROCESSING: TransactionStatusEntry = {
  transaction_id: ID,
  lifecycle: 'processing',
  observed_work: null,
  registered_cut: null,
  finalized_cut: null,
  failure: null,
};
const RECEIVING: TransactionStatusEntry = {
  ...PROCESSING,
  lifecycle: 'receiving',
  observed_work: { block_id: '04'.repeat(48) },
};
const REGISTERED: TransactionStatusEntry = {
  ...RECEIVING,
  lifecycle: 'registered',
  registered_cut: CUT,
};

test('[WSEP-04] [NSOCK-27] a snapshot, an update on every change, and the end with the final status', async (t) => {
  const node = await SocketNode.start(t);
  node.setStatus(PROCESSING);
  const client = await node.open('status', PATH);
  assert.deepEqual(await client.expect('snapshot'), { api_version: 1, ...PROCESSING });
  for (const status of [RECEIVING, REGISTERED]) {
    node.changed.emit(ID);
    node.setStatus(status);
    assert.deepEqual(await client.expect('update'), { api_version: 1, ...status });
  }
  const final = { ...REGISTERED, lifecycle: 'finalized', finalized_cut: CUT } as const;
  node.setStatus(final);
  assert.deepEqual(await client.expect('update'), { api_version: 1, ...final });
  assert.equal((await client.closed).code, 1_000);
});

test('[LIFE-06] [NSOCK-27] a status that is final already is the only frame', async (t) => {
  const node = await SocketNode.start(t);
  for (const failure of ['conflict', 'expired'] as const) {
    node.setStatus({ ...REGISTERED, lifecycle: 'failed', failure, finalized_cut: CUT });
    const client = await node.open('status', PATH);
    assert.equal((await client.expect('snapshot'))['failure'], failure);
    assert.equal((await client.closed).code, 1_000);
    assert.equal(client.waiting, 0);
  }
});

test('[LIFE-06] a failure that a later cut may undo does not end the stream', async (t) => {
  const node = await SocketNode.start(t);
  node.setStatus(PROCESSING);
  const client = await node.open('status', PATH);
  await client.expect('snapshot');
  const failures = ['dropped', 'invalid', 'no_effect', 'conflict', 'expired'] as const;
  for (const failure of failures) {
    node.setStatus({ ...PROCESSING, lifecycle: 'failed', failure });
    assert.equal((await client.expect('update'))['failure'], failure);
  }
  node.setStatus(PROCESSING);
  assert.equal((await client.expect('update'))['lifecycle'], 'processing');
});

test('a transaction that the node knows nothing of is not found', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('status', PATH);
  assert.equal(await client.errorCode(), 'not_found');
  assert.equal((await client.closed).code, 1_000);
});
