/**
 * The way of a payment through a whole network, and every way in which it can fail. Blocks are mined when a
 * test wants one, except for the payment that goes all the way by itself. Every test has accounts of its own.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { TransactionStatus } from 'svc-api';
import { testInterfaces } from './interfaces.ts';
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
async function watchToTheEnd(id: string, on: Caller = caller): Promise<TransactionStatus[]> {
  let isOver = false;
  const watched = on.watch(id).finally(() => {
    isOver = true;
  });
  for (let cuts = 0; !isOver && cuts < 60; cuts++) await on.network.mine(1);
  assert.ok(isOver, 'the stream goes on');
  return watched;
}

test('a payment goes from the keys of a wallet into a finalized cut, watched on the status stream', async (t) => {
  const network = await callNetwork(t, { cutTime: 'manual', validators: 1 });
  const before = await network.balanceOf(1);
  const id = await network.pay({ from: 0, to: 1, amount: 5n * COIN });
  const statuses = await watchToTheEnd(id, network);
  const steps = stepsOf(statuses);
  assert.equal(steps.at(-1), 'finalized');
  assert.deepEqual(
    steps.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)),
    steps,
  );
  const last = statuses.at(-1);
  assert.ok(last?.finalized_cut && last.registered_cut && last.observed_work);
  assert.equal(last.finalized_cut.height, last.registered_cut.height + 1);
  assert.equal(await network.balanceOf(1), before + 5n * COIN);
  assert.deepEqual((await network.statusOf(id)).finalized_cut, last.finalized_cut);
});

suite('a payment on a development network', () => {
  before(async () => {
    caller = await Caller.start({ cutTime: 'manual', validators: 1, miner: false });
  });
  after(() => caller.close());

  test('[LIFE-01] [LIFE-02] [LIFE-03] [LIFE-04] [STATUS-03] [STATUS-04] [STATUS-05] [STATUS-06] [NSOCK-27] it waits, is mined, registered and executed, and every stage is told', async () => {
    const wire = await caller.sign({ from: 0, to: 1, amount: COIN });
    const id = caller.idOf(wire);
    assert.equal((await caller.submit(wire)).status, 200);
    const watched = caller.watch(id);
    const waiting = {
      api_version: 1,
      transaction_id: id,
      lifecycle: 'processing',
      observed_work: null,
      registered_cut: null,
      finalized_cut: null,
      failure: null,
    };
    assert.deepEqual(await caller.statusOf(id), waiting);
    const block_id = await caller.mineBlock([wire]);
    const mined = { ...waiting, lifecycle: 'receiving', observed_work: { block_id } };
    assert.deepEqual(await caller.statusOf(id), mined);
    const registered = await statusAfter(id, 'receiving');
    const registered_cut = await headOf();
    assert.deepEqual(registered, { ...mined, lifecycle: 'registered', registered_cut });
    await caller.network.mine(1);
    const final = await caller.statusOf(id);
    const finalized_cut = await headOf();
    assert.deepEqual(final, { ...registered, lifecycle: 'finalized', finalized_cut });
    assert.deepEqual(await watched, [waiting, mined, registered, final]);
  });

  test('[HTTPERR-05] a payment that the mempool forgets is dropped', async () => {
    const id = await caller.pay({ from: 2, to: 1, amount: COIN, validFrom: caller.height + 20 });
    assert.equal((await caller.statusOf(id)).lifecycle, 'processing');
    await caller.post('/v1/dev/drop_transaction', { transaction_id: id });
    const { lifecycle, failure } = await caller.statusOf(id);
    assert.deepEqual([lifecycle, failure], ['failed', 'dropped']);
  });

  test('[HTTPERR-05] of two payments with the same coin the second is a conflict, for good', async () => {
    const [coin] = await caller.coinsOf(3);
    assert.ok(coin !== undefined);
    const first = await caller.sign({ from: 3, to: 1, amount: COIN, coins: [coin] });
    const second = await caller.sign({ from: 3, to: 2, amount: COIN, coins: [coin] });
    assert.equal((await caller.submit(first)).status, 200);
    assert.equal((await caller.submit(second)).status, 409);
    await caller.mineBlock([first]);
    await caller.network.mine(2);
    await caller.mineBlock([second]);
    const steps = stepsOf(await watchToTheEnd(caller.idOf(second)));
    assert.equal(steps.at(-1), 'conflict');
    assert.ok((await caller.statusOf(caller.idOf(second))).finalized_cut);
    assert.equal((await caller.statusOf(caller.idOf(first))).lifecycle, 'finalized');
  });

  test('[HTTPERR-05] a payment that is executed too late has expired, for good', async () => {
    const wire = await caller.sign({ from: 4, to: 1, amount: COIN, validUntil: caller.height + 1 });
    await caller.mineBlock([wire]);
    const steps = stepsOf(await watchToTheEnd(caller.idOf(wire)));
    assert.equal(steps.at(-1), 'expired');
  });

  test('a payment that nobody mines has expired after its last height', async () => {
    const id = await caller.pay({ from: 4, to: 1, amount: COIN, validUntil: caller.height + 3 });
    await caller.network.mine(3);
    const { lifecycle, failure } = await caller.statusOf(id);
    assert.deepEqual([lifecycle, failure], ['failed', 'expired']);
  });

  test('[HTTPERR-05] a payment with a wrong signature is refused, and invalid if a block carries it', async () => {
    const wire = await caller.sign({ from: 5, to: 1, amount: COIN });
    wire[wire.length - 100] = (wire[wire.length - 100] ?? 0) ^ 1;
    assert.equal((await caller.submit(wire)).status, 422);
    await caller.mineBlock([wire]);
    await caller.network.mine(3);
    const { lifecycle, failure } = await caller.statusOf(caller.idOf(wire));
    assert.deepEqual([lifecycle, failure], ['failed', 'invalid']);
  });

  test('[HTTPERR-05] an operation that cannot be done has no effect, and costs nothing', async () => {
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
          amount: String(100n * COIN),
        },
      },
    });
    await caller.mineBlock([wire]);
    await caller.network.mine(3);
    const { lifecycle, failure } = await caller.statusOf(caller.idOf(wire));
    assert.deepEqual([lifecycle, failure], ['failed', 'no_effect']);
    assert.equal(await caller.balanceOf(6), before);
  });

  test('[BLOCK-01] a block is paid when its window has closed, and its reward can be spent', async () => {
    const payout = 7;
    const id = await caller.mineBlock([], payout);
    const stateOf = async () => {
      const { body } = await caller.get<{ reward: { state: string; amount: string } }>(
        `/v1/blocks/${id}`,
      );
      return body.reward;
    };
    assert.equal((await stateOf()).state, 'waiting');
    await caller.network.mine(2);
    assert.equal((await stateOf()).state, 'registered');
    await caller.network.mine(96);
    const reward = await stateOf();
    assert.equal(reward.state, 'paid');
    const coins = await caller.coinsOf(payout);
    const paid = coins.find(([, { source }]) => source === 'work_reward');
    assert.ok(paid !== undefined && paid[1].amount === BigInt(reward.amount));
    const wire = await caller.sign({ from: payout, to: 8, amount: COIN / 10n, coins: [paid] });
    assert.equal((await caller.submit(wire)).status, 200);
    await caller.mineBlock([wire]);
    const steps = stepsOf(await watchToTheEnd(caller.idOf(wire)));
    assert.equal(steps.at(-1), 'finalized');
  });

  testInterfaces(() => caller);
});

/** The status once it is another; a cut that was proposed before a block came does not register it. */
async function statusAfter(id: string, lifecycle: string): Promise<TransactionStatus> {
  for (let cuts = 0; cuts < 3; cuts++) {
    await caller.network.mine(1);
    const status = await caller.statusOf(id);
    if (status.lifecycle !== lifecycle) return status;
  }
  return assert.fail(`it is still ${lifecycle}`);
}

async function headOf(): Promise<object> {
  return (await caller.get<{ cut: object }>('/v1/chain/head')).body.cut;
}
