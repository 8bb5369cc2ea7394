import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CutFinalized } from 'svc-api';
import { encodeAddress, fromHex } from 'svc-wasm/base';
import type { FinalizedCut } from '../../src/ports.ts';
import { SocketNode } from './testing/socket-node.ts';
import type { Frame, TestClient } from './testing/test-client.ts';

async function heights(client: TestClient, count: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < count) {
    const data = (await client.expect('cut_finalized')) as unknown as CutFinalized;
    seen.push(data.cut.height);
  }
  return seen;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function headOf(data: Frame['data']): number {
  return (data['cut'] as { height: number }).height;
}

test('[WSEP-02] [NSOCK-02] [CUTREF-01] /v1/events starts with the head, then tells of each cut in order', async (t) => {
  const node = await SocketNode.start(t, { height: 3 });
  const client = await node.open('events');
  const { head } = node.chain;
  const checkpoint = await client.expect('checkpoint');
  assert.deepEqual(Object.keys(checkpoint).sort(), ['api_version', 'cut']);
  const cut = checkpoint['cut'] as Record<string, unknown>;
  assert.deepEqual(Object.keys(cut).sort(), ['cut_id', 'height', 'state_root', 'validator_set_id']);
  assert.deepEqual([cut['height'], cut['cut_id']], [3, head.cutId]);
  assert.equal(cut['state_root'], head.stateRoot);
  await node.chain.climb(8);
  assert.deepEqual(await heights(client, 5), range(4, 8));
});

test('a chain at its genesis has a checkpoint too', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('events');
  const { cut } = (await client.expect('checkpoint')) as { cut: Record<string, unknown> };
  assert.equal(cut['height'], 0);
  assert.equal(cut['cut_id'], node.chain.head.cutId);
  const first = await node.chain.step();
  const { data } = await client.next();
  const told = data['cut'] as Record<string, unknown>;
  assert.equal(told['validator_set_id'], cut['validator_set_id']);
  assert.equal(told['cut_id'], first.cutId);
});

/** The data of an event, written from what the ledger said of the cut. */
function expectedData({ input, result, cutId }: FinalizedCut): CutFinalized {
  const { rewards, stakePayouts } = result.events;
  return {
    api_version: 1,
    cut: {
      height: input.height,
      cut_id: cutId,
      state_root: result.stateRoot,
      validator_set_id: result.validatorSetId,
    },
    registered_work: input.registered.length,
    executed_work: input.executed.length,
    rewards: rewards.map(({ blockId, outpoint, amount, outputAmount }) => ({
      block_id: blockId,
      transaction_id: outpoint?.transactionId ?? '',
      output_index: outpoint?.outputIndex ?? 0,
      amount: `${amount}`,
      output_amount: `${outputAmount}`,
    })),
    stake_rewards: `${stakePayouts.reduce((sum, { amount }) => sum + amount, 0n)}`,
    stake_payouts: stakePayouts.map((payout) => ({
      position: payout.positionId,
      validator: payout.validatorId,
      epoch: payout.epoch,
      address: encodeAddress(fromHex(payout.address), 'development'),
      transaction_id: payout.outpoint.transactionId,
      output_index: payout.outpoint.outputIndex,
      amount: `${payout.amount}`,
    })),
  };
}

test('[NSOCK-01] [NSOCK-03] [NSOCK-04] [NSOCK-05] [NSOCK-06] [NSOCK-07] cut_finalized has these fields, live and replayed', async (t) => {
  const node = await SocketNode.start(t);
  const cuts: FinalizedCut[] = [];
  while (cuts.length < 100) cuts.push(await node.chain.step());
  const replayed = await node.open('events', '/v1/events?after_height=0');
  assert.equal(headOf(await replayed.expect('checkpoint')), 100);
  for (const cut of cuts) {
    assert.deepEqual(await replayed.expect('cut_finalized'), expectedData(cut));
  }
  const live = await node.open('events');
  await live.expect('checkpoint');
  const later: FinalizedCut[] = [];
  while (later.length < 20) later.push(await node.chain.step());
  for (const cut of later) {
    assert.deepEqual(await live.expect('cut_finalized'), expectedData(cut));
  }
  for (const some of [cuts, later]) {
    assert.ok(some.some(({ result }) => result.events.rewards.length > 0));
    assert.ok(some.some(({ result }) => result.events.stakePayouts.length > 0));
  }
});

test('[NSOCK-08] after_height replays what lies above and goes on live, without gap or repetition', async (t) => {
  const node = await SocketNode.start(t, { height: 60 });
  const clients = await Promise.all(
    [0, 10, 59, 60].map((after) => node.open('events', `/v1/events?after_height=${after}`)),
  );
  const climbing = node.chain.climb(100);
  for (const [index, after] of [0, 10, 59, 60].entries()) {
    const client = clients[index] as TestClient;
    assert.ok(headOf(await client.expect('checkpoint')) >= 60);
    assert.deepEqual(await heights(client, 100 - after), range(after + 1, 100));
  }
  await climbing;
  for (const client of clients) assert.equal(client.waiting, 0);
});

test('a height that this node has not reached yet is waited for', async (t) => {
  const node = await SocketNode.start(t, { height: 2 });
  const client = await node.open('events', '/v1/events?after_height=5');
  assert.equal(headOf(await client.expect('checkpoint')), 2);
  await node.chain.climb(8);
  assert.deepEqual(await heights(client, 3), [6, 7, 8]);
});

test('[LIMIT-12] [NSOCK-08] [NSOCK-26] replay reaches one hour back; beyond it the stream says so and closes', async (t) => {
  const node = await SocketNode.start(t, { height: 70, cutMillis: 60_000 });
  const within = await node.open('events', '/v1/events?after_height=9');
  await within.expect('checkpoint');
  assert.deepEqual(await heights(within, 61), range(10, 70));
  const beyond = await node.open('events', '/v1/events?after_height=8');
  await beyond.expect('checkpoint');
  assert.deepEqual(await beyond.expect('resync_required'), { reason: 'history_unavailable' });
  assert.deepEqual(await beyond.closed, { code: 1_000, reason: 'history_unavailable' });
  assert.equal(beyond.waiting, 0);
});

test('the socket takes no frames, and says so', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('events');
  await client.expect('checkpoint');
  client.send('ping', { id: 1 });
  assert.equal(await client.errorCode(), 'unexpected_frame');
});
