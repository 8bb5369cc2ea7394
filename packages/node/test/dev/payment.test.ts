/**
 * The way of a payment through a whole network, and every way in which it can fail. Every test has accounts of
 * its own.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { TransactionStatus } from 'svc-api';
import { Caller, callNetwork } from './kit.ts';

const COIN = 100_000_000n;
const ORDER = ['processing', 'receiving', 'registered', 'finalized'];
let caller: Caller;

/** The words that a stream told, without repetition. */
function stepsOf(statuses: readonly TransactionStatus[]): string[] {
  const steps = statuses.map(({ lifecycle, failure }) => failure ?? lifecycle);
  return steps.filter((step, at) => step !== steps[at - 1]);
}

/** Makes cuts until the stream has ended by itself. */
async function watchToTheEnd(id: string): Promise<TransactionStatus[]> {
  let isOver = false;
  const watched = caller.watch(id).finally(() => {
    isOver = true;
  });
  for (let cuts = 0; !isOver && cuts < 60; cuts++) await caller.network.mine(1);
  assert.ok(isOver, 'the stream goes on');
  return watched;
}

suite('a payment on a development network', () => {
  before(async () => {
    caller = await Caller.start({ cutTime: 'manual', validators: 1 });
  });
  after(() => caller.close());

  test('a payment goes from the keys of a wallet into a finalized cut, watched on the status stream', async () => {
    const before = await caller.balanceOf(1);
    const id = await caller.pay({ from: 0, to: 1, amount: 5n * COIN });
    const statuses = await watchToTheEnd(id);
    const steps = stepsOf(statuses);
    assert.equal(steps.at(-1), 'finalized');
    assert.deepEqual(
      steps.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)),
      steps,
    );
    const last = statuses.at(-1);
    assert.ok(last?.finalized_cut && last.registered_cut && last.observed_work);
    assert.equal(last.finalized_cut.height, last.registered_cut.height + 1);
    assert.equal(await caller.balanceOf(1), before + 5n * COIN);
    assert.deepEqual((await caller.statusOf(id)).finalized_cut, last.finalized_cut);
  });

  test('a payment that the mempool forgets is dropped', async () => {
    const id = await caller.pay({ from: 2, to: 1, amount: COIN, validFrom: caller.height + 20 });
    assert.equal((await caller.statusOf(id)).lifecycle, 'processing');
    await caller.post('/v1/dev/drop_transaction', { transaction_id: id });
    const { lifecycle, failure } = await caller.statusOf(id);
    assert.deepEqual([lifecycle, failure], ['failed', 'dropped']);
  });

  test('of two payments with the same coin the second is a conflict, for good', async () => {
    const [coin] = await caller.coinsOf(3);
    assert.ok(coin !== undefined);
    const first = await caller.sign({ from: 3, to: 1, amount: COIN, coins: [coin] });
    const second = await caller.sign({ from: 3, to: 2, amount: COIN, coins: [coin] });
    const { body } = await caller.submit(first);
    const refused = await caller.submit(second);
    assert.equal(refused.status, 409);
    await watchToTheEnd(body.transaction_id);
    await caller.mineBlock([second]);
    const id = caller.network.node.composed.core.chain.transactions.decode(second).id;
    const steps = stepsOf(await watchToTheEnd(id));
    assert.equal(steps.at(-1), 'conflict');
    assert.ok((await caller.statusOf(id)).finalized_cut);
  });

  test('a payment that is executed too late has expired, for good', async () => {
    const wire = await caller.sign({ from: 4, to: 1, amount: COIN, validUntil: caller.height + 1 });
    await caller.mineBlock([wire]);
    const { id } = caller.network.node.composed.core.chain.transactions.decode(wire);
    const steps = stepsOf(await watchToTheEnd(id));
    assert.equal(steps.at(-1), 'expired');
  });

  test('a payment that nobody mines has expired after its last height', async (t) => {
    const quiet = await callNetwork(t, { cutTime: 'manual', validators: 1, miner: false });
    const id = await quiet.pay({ from: 4, to: 1, amount: COIN, validUntil: 3 });
    await quiet.network.mine(3);
    const { body } = await quiet.get<TransactionStatus>(`/v1/transactions/${id}/status`);
    assert.deepEqual([body.lifecycle, body.failure], ['failed', 'expired']);
  });

  test('a payment with a wrong signature is refused, and invalid if a block carries it', async () => {
    const wire = await caller.sign({ from: 5, to: 1, amount: COIN });
    wire[wire.length - 100] = (wire[wire.length - 100] ?? 0) ^ 1;
    assert.equal((await caller.submit(wire)).status, 422);
    await caller.mineBlock([wire]);
    await caller.network.mine(4);
    const { id } = caller.network.node.composed.core.chain.transactions.decode(wire);
    const { lifecycle, failure } = await caller.statusOf(id);
    assert.deepEqual([lifecycle, failure], ['failed', 'invalid']);
  });

  test('an operation that cannot be done has no effect, and costs nothing', async () => {
    const before = await caller.balanceOf(6);
    const address = caller.accountText(6);
    const wire = await caller.sign({
      from: 6,
      to: 1,
      amount: COIN,
      operation: {
        type: 'bond',
        data: {
          validator_id: 'ab'.repeat(48),
          owner_address: address,
          reward_address: address,
          amount: String(COIN),
        },
      },
    });
    await caller.mineBlock([wire]);
    await caller.network.mine(4);
    const { id } = caller.network.node.composed.core.chain.transactions.decode(wire);
    const { lifecycle, failure } = await caller.statusOf(id);
    assert.deepEqual([lifecycle, failure], ['failed', 'no_effect']);
    assert.equal(await caller.balanceOf(6), before);
  });

  test('a block is paid when its window has closed, and its reward can be spent', async () => {
    const payout = 7;
    const id = await caller.mineBlock([], payout);
    const stateOf = async () => {
      const { body } = await caller.get<{ reward: { state: string; amount: string } }>(
        `/v1/blocks/${id}`,
      );
      return body.reward;
    };
    assert.equal((await stateOf()).state, 'waiting');
    await caller.network.mine(3);
    assert.equal((await stateOf()).state, 'registered');
    await caller.network.mine(96);
    const reward = await stateOf();
    assert.equal(reward.state, 'paid');
    const coins = await caller.coinsOf(payout);
    const paid = coins.find(([, { source }]) => source === 'work_reward');
    assert.ok(paid !== undefined && paid[1].amount >= BigInt(reward.amount));
    const payment = { from: payout, to: 8, amount: COIN / 10n, coins: [paid] };
    const steps = stepsOf(await watchToTheEnd(await caller.pay(payment)));
    assert.equal(steps.at(-1), 'finalized');
  });
});
