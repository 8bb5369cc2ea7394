/**
 * Payments that are given up while they wait: the coins come back, or the payment is executed after all, and the wallet
 * says which.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from 'svc-wasm/base';
import { refused } from '../testing/daemon.ts';
import { requestId, type World } from './world.ts';

export function testCancelling(world: World): void {
  const outcomeOf = async (request_id: string) =>
    (await world.rich.call('request', { request_id })).outcome;

  test('a waiting payment is cancelled: its coins come back, and the recipient gets nothing', async () => {
    const { net, rich, shop } = world;
    const { address: to } = await shop.call('new_address', {});
    const { indexed_height: since_height } = await rich.call('status', {});
    const before = await rich.call('balance', {});
    const [payment, request_id] = [requestId(), requestId()];
    const sent = await rich.call('send', { to, amount: '1', request_id: payment });
    const dry = await rich.call('cancel', { payment, request_id, dry_run: true });
    const made = await rich.call('cancel', { payment, request_id });
    assert.deepEqual([made.fee, made.amount, made.submitted], [dry.fee, dry.amount, true]);
    assert.equal(made.payment_transaction, sent.transaction);
    assert.ok(Number(made.fee) > Number(sent.fee));
    const { mempool } = net.network.node.composed.core;
    const waits = [sent, made].map(({ transaction }) => mempool.get(transaction) !== undefined);
    assert.deepEqual(waits, [false, true]);

    const again = await rich.call('cancel', { payment, request_id });
    assert.deepEqual([again.duplicate, again.transaction], [true, made.transaction]);
    const twice = rich.call('cancel', { payment, request_id: requestId() });
    const { data } = await refused(-32000, 'not_cancellable', twice);
    assert.equal(data['cancelled_by'], request_id);
    const itself = rich.call('cancel', { payment: request_id, request_id: requestId() });
    await refused(-32000, 'not_cancellable', itself);

    await world.until('both are decided', async () => (await outcomeOf(payment)) !== null);
    assert.equal(await outcomeOf(request_id), 'finalized');
    const { cancelled_by, outcome } = await rich.call('request', { request_id: payment });
    assert.deepEqual([outcome, cancelled_by], ['conflict', request_id]);
    const dead = await rich.call('transaction', { transaction: sent.transaction });
    assert.equal((dead.proof as { proven?: boolean }).proven, true);
    const last = await rich.call('cancel', { payment, request_id });
    assert.deepEqual([last.duplicate, last.outcome], [true, 'finalized']);
    // The network's miner earns for this wallet, in as many cuts as a busy machine needs.
    const earned = (await rich.call('received', { since_height })).payments;
    const after = await rich.call('balance', {});
    const atoms = (coins: string): bigint => BigInt(coins.replace('.', ''));
    const held = earned.reduce((sum, { amount }) => sum + atoms(amount), atoms(before.balance));
    assert.equal(held - atoms(after.balance), atoms(made.fee));
    assert.equal(after.reserved, '0.00000000');
    assert.equal((await shop.call('outputs', { address: to, limit: 10 })).outputs.length, 0);
  });

  test('a payment that is executed although it was cancelled is told as paid', async () => {
    const { net, rich } = world;
    const { address: to } = await rich.call('new_address', {});
    const [payment, request_id] = [requestId(), requestId()];
    const sent = await rich.call('send', { to, amount: '1', request_id: payment });
    const { journal } = rich.running.wallet.state;
    const wire = journal.wireOf(journal.findTransaction(sent.transaction)?.id ?? 0);
    const made = await rich.call('cancel', { payment, request_id });
    // A miner that never saw the cancellation.
    const { mempool } = net.network.node.composed.core;
    mempool.drop(made.transaction);
    const wire_hex = toHex(wire ?? new Uint8Array());
    await rich.running.wallet.node.client.submit({ wire_hex, transaction_id: sent.transaction });
    await world.until('both are decided', async () => (await outcomeOf(request_id)) !== null);
    assert.deepEqual(
      [await outcomeOf(payment), await outcomeOf(request_id)],
      ['finalized', 'conflict'],
    );
    const { outcome } = await rich.call('cancel', { payment, request_id });
    assert.equal(outcome, 'conflict');
    assert.equal((await rich.call('balance', {})).reserved, '0.00000000');
  });

  test('what is registered, decided or unknown is not cancelled, with words', async () => {
    const { net, rich } = world;
    const { address: to } = await rich.call('new_address', {});
    const payment = requestId();
    const attempt = (name: string) =>
      rich.call('cancel', { payment: name, request_id: requestId() });
    await refused(-32000, 'unknown_request', attempt('nobody-asked'));
    const sent = await rich.call('send', { to, amount: '1', request_id: payment });
    const { client } = rich.running.wallet.node;
    for (let cuts = 0; cuts < 8; cuts++) {
      const { lifecycle } = await client.transactionStatus({ id: sent.transaction });
      if (lifecycle === 'registered' || lifecycle === 'finalized') break;
      await net.network.mine(1);
    }
    const late = await refused(-32000, 'not_cancellable', attempt(payment));
    assert.match(late.message, /registered|finalized|spent/);
    await world.until('paid', async () => (await outcomeOf(payment)) === 'finalized');
    const decided = await refused(-32000, 'not_cancellable', attempt(payment));
    assert.equal(decided.data['outcome'], 'finalized');
  });
}
