import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressChanged, RemovalReason } from 'svc-api';
import { payeeOf } from '../../../storage/test/testing/ladder-chain.ts';
import { namedAddress, pooledBlock, pooledPayment, textOf } from './testing/pooled.ts';
import { SocketNode } from './testing/socket-node.ts';

test('[NSOCK-14] cuts: what a cut registered, executed and paid, and when it was final', async (t) => {
  const node = await SocketNode.start(t, { height: 96 });
  const client = await node.open('api');
  const subscription = await client.subscribe('cuts');
  let [rewards, payouts] = [0, 0];
  for (let i = 0; i < 14; i++) {
    const { cutId, finalizedAtMillis, height, input, result } = await node.chain.step();
    const { type, data } = await client.event(subscription);
    assert.equal(type, 'cut_finalized');
    const { events, stateRoot, validatorSetId } = result;
    assert.deepEqual(data, {
      cut: { height, cut_id: cutId, state_root: stateRoot, validator_set_id: validatorSetId },
      registered_blocks: input.registered.length,
      executed_blocks: input.executed.length,
      rewards: events.rewards.map(({ blockId, outpoint, amount, outputAmount }) => ({
        block_id: blockId,
        transaction_id: outpoint?.transactionId,
        output_index: outpoint?.outputIndex,
        amount: `${amount}`,
        output_amount: `${outputAmount}`,
      })),
      stake_rewards: `${events.stakePayouts.reduce((sum, { amount }) => sum + amount, 0n)}`,
      finalized_at_millis: finalizedAtMillis,
    });
    rewards += events.rewards.length;
    payouts += events.stakePayouts.length;
  }
  assert.ok(rewards > 0 && payouts > 0);
});

test('[NSOCK-15] blocks: each block that the node accepted', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const subscription = await client.subscribe('blocks');
  const pooled = pooledBlock(2);
  node.accepted.emit(pooled);
  assert.deepEqual(await client.event(subscription), {
    type: 'block_accepted',
    data: {
      block_id: pooled.block.id,
      parents: pooled.block.parents,
      transactions: [pooledPayment(2).id],
      reward_address: namedAddress('miner'),
      miner_tag: 'a miner',
    },
  });
});

test('[NSOCK-16] mempool: the document at once, then when it changed, once in a second', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const started = performance.now();
  const subscription = await client.subscribe('mempool');
  assert.deepEqual(await client.event(subscription), { type: 'mempool', data: node.mempool });
  for (let transactions = 1; transactions <= 500; transactions++) {
    node.mempool = { ...node.mempool, transactions };
    node.added.emit(pooledPayment(1));
  }
  const { data } = await client.event(subscription);
  assert.equal(data['transactions'], 500);
  assert.ok(performance.now() - started >= 990, 'a second lies between two documents');
  node.mempool = { ...node.mempool, transactions: 499 };
  node.removed.emit({ pooled: pooledPayment(1), reason: 'evicted' });
  assert.equal((await client.event(subscription)).data['transactions'], 499);
  node.added.emit(pooledPayment(2));
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  assert.ok(await client.quiet(), 'a document that did not change is not sent again');
});

test('[NSOCK-17] rates: the document at once, then with the cuts that change it', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const subscription = await client.subscribe('rates');
  assert.deepEqual(await client.event(subscription), { type: 'rates', data: node.rates });
  await node.chain.step();
  node.rates = { ...node.rates, finalized_height: 1, hashrate: '4096' };
  assert.deepEqual(await client.event(subscription), { type: 'rates', data: node.rates });
});

test('[NSOCK-18] sync: the document at once, then when it changed, though nobody tells', async (t) => {
  const node = await SocketNode.start(t);
  const [client, second] = [await node.open('api'), await node.open('api')];
  const subscription = await client.subscribe('sync');
  assert.deepEqual(await client.event(subscription), { type: 'sync', data: node.sync });
  await second.subscribe('sync');
  assert.deepEqual((await second.event(1)).data, node.sync);
  node.sync = { ...node.sync, peers: 5, best_peer_height: 9, behind_by: 9, synced: false };
  for (const each of [client, second]) {
    assert.deepEqual(await each.event(1), { type: 'sync', data: node.sync });
  }
});

test('[NSOCK-19] transaction: the status as it is, then each change', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const transaction_id = 'ab'.repeat(48);
  const status = {
    transaction_id,
    lifecycle: 'processing',
    observed_work: null,
    registered_cut: null,
    finalized_cut: null,
    failure: null,
  } as const;
  node.setStatus(status);
  const subscription = await client.subscribe('transaction', { transaction_id });
  const told = (more: object) => ({
    type: 'transaction_status',
    data: { api_version: 1, ...status, ...more },
  });
  assert.deepEqual(await client.event(subscription), told({}));
  node.changed.emit(transaction_id);
  const more = { lifecycle: 'receiving', observed_work: { block_id: 'cd'.repeat(48) } } as const;
  node.setStatus({ ...status, ...more });
  assert.deepEqual(await client.event(subscription), told(more));
  node.setStatus({ ...status, transaction_id: 'ef'.repeat(48) });
  assert.ok(await client.quiet());
});

test('[NSOCK-20] [NSOCK-22] addresses: a changed address has what came and went, and its balance', async (t) => {
  const node = await SocketNode.start(t, { height: 2 });
  const client = await node.open('api');
  const addresses = [namedAddress('bank'), textOf(payeeOf(2)), namedAddress('nobody')];
  const subscription = await client.subscribe('addresses', { addresses });
  const { height, result } = await node.chain.step();
  const reader = node.chain.reader();
  const changed = new Map<string, AddressChanged>();
  for (let i = 0; i < 2; i++) {
    const { type, data } = await client.event(subscription);
    assert.equal(type, 'address_changed');
    changed.set(data['address'] as string, data as unknown as AddressChanged);
  }
  for (const [text, address] of [
    [addresses[0], 'bank'],
    [addresses[1], 'payee'],
  ] as const) {
    const hex = address === 'bank' ? pooledPayment(2).spent[0]?.address : payeeOf(2);
    const entries = result.events.history.filter((entry) => entry.address === hex);
    const [balance] = await reader.balances([hex ?? '']);
    const told = changed.get(text ?? '');
    assert.equal(told?.finalized_height, height);
    assert.equal(told?.balance, `${balance?.amount}`);
    assert.equal(told?.utxos, balance?.outputs);
    const kinds = (kind: string) =>
      entries
        .filter((entry) => entry.kind === kind)
        .map(({ amount, source, transactionId }) => ({
          amount: `${amount}`,
          source,
          transaction_id: transactionId,
        }));
    const lines = (list: AddressChanged['received'] = []) =>
      list.map(({ amount, source, transaction_id }) => ({ amount, source, transaction_id }));
    assert.deepEqual(lines(told?.received), kinds('received'));
    assert.deepEqual(lines(told?.spent), kinds('spent'));
    assert.ok(entries.length > 0);
  }
  await reader.close();
  assert.ok(await client.quiet(), 'an address that did not change is not told');
});

test('[NSOCK-20] [NSOCK-22] addresses: pending payments are seen and removed, with every reason', async (t) => {
  const node = await SocketNode.start(t);
  const [client, other] = [await node.open('api'), await node.open('api')];
  const addresses = [namedAddress('bank'), textOf(payeeOf(3))];
  const subscription = await client.subscribe('addresses', { addresses });
  await other.subscribe('addresses', { addresses: [namedAddress('nobody')] });
  const pooled = pooledPayment(3);
  node.added.emit(pooled);
  const pending = {
    transaction_id: pooled.id,
    first_seen_millis: pooled.receivedAtMillis,
    fee: '1000',
    mass: '1',
    bytes: pooled.wire.length,
    received: pooled.transaction.outputs.map(({ address, amount }, output_index) => ({
      address: textOf(address),
      output_index,
      amount: `${amount}`,
    })),
    spent: [
      {
        address: addresses[0],
        outpoint: {
          transaction_id: pooled.transaction.inputs[0]?.transactionId,
          output_index: pooled.transaction.inputs[0]?.outputIndex,
        },
        amount: '77000',
      },
    ],
  };
  assert.deepEqual(await client.event(subscription), { type: 'mempool_tx_seen', data: pending });
  const reasons: RemovalReason[] = [
    'finalized',
    'expired',
    'evicted',
    'conflict',
    'rejected',
    'unknown',
  ];
  for (const reason of reasons) {
    node.removed.emit({ pooled, reason });
    const data = { ...pending, reason };
    assert.deepEqual(await client.event(subscription), { type: 'mempool_tx_removed', data });
  }
  assert.ok(await client.quiet(), 'one event for a transaction that touches two addresses');
  assert.ok(await other.quiet());
});

test('[NSOCK-21] mempool_transactions: every transaction that comes and goes', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const subscription = await client.subscribe('mempool_transactions');
  for (const height of [1, 2, 3]) node.added.emit(pooledPayment(height));
  for (const height of [1, 2, 3]) {
    const { type, data } = await client.event(subscription);
    assert.equal(type, 'mempool_transaction');
    assert.equal(data['transaction_id'], pooledPayment(height).id);
  }
  node.removed.emit({ pooled: pooledPayment(2), reason: 'conflict' });
  const { type, data } = await client.event(subscription);
  assert.equal(type, 'mempool_transaction_removed');
  assert.deepEqual([data['transaction_id'], data['reason']], [pooledPayment(2).id, 'conflict']);
});

test('[NSOCK-21] a service that does not offer mempool_transactions says so', async (t) => {
  const node = await SocketNode.start(t, { mempoolTransactions: false });
  const client = await node.open('api');
  const { type, data } = await client.ask('subscribe', { id: 1, topic: 'mempool_transactions' });
  assert.deepEqual([type, data['code']], ['error', 'topic_not_offered']);
});
