import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, COIN, TestChain } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import type { BlockReward } from '../cut.ts';
import { blockRewardState } from '../documents/block-reward-state.ts';
import { outpointKey } from '../identifiers.ts';

/** The work half of a cut's subsidy in epoch 0 of a chain with interval 12. */
const HALF = (540_000n * COIN) / 24n;

function rewardsAt(chain: TestChain, height: number): readonly BlockReward[] {
  chain.runTo(height);
  return chain.results[height - 1]?.events.rewards ?? [];
}

test('[ECON-10] an anchor divides its half equally, and each block adds half of its fees', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  chain.cut();
  chain.cut({
    blocks: [
      { payout: 'a', transactions: [wallet.pay('bank', 'bob', COIN, { fee: 70n })] },
      { payout: 'b' },
      { payout: 'c', transactions: [wallet.pay('bank', 'bob', COIN, { fee: 31n })] },
    ],
  });
  const rewards = rewardsAt(chain, 97);
  const byPayout = new Map(rewards.map((reward) => [reward.payoutAddress, reward]));
  for (const [payout, fees] of [
    ['a', 35n],
    ['b', 0n],
    ['c', 15n],
  ] as const) {
    const reward = byPayout.get(addressOf(payout));
    assert.equal(reward?.share, HALF / 3n, payout);
    assert.equal(reward?.fees, fees, payout);
    assert.equal(reward?.amount, HALF / 3n + fees, payout);
  }
});

test('[ECON-11] the half of a cut is paid 96 cuts after it, and not before', () => {
  const chain = new TestChain();
  chain.runTo(4);
  chain.cut({ blocks: [{ anchor: 4 }] });
  for (let height = 6; height < 100; height++) {
    assert.deepEqual(rewardsAt(chain, height), [], `cut ${height}`);
  }
  const [reward] = rewardsAt(chain, 100);
  assert.equal(reward?.anchorHeight, 4);
  assert.deepEqual(rewardsAt(chain, 101), []);
});

test('a block registered in the last cut of the window is executed and paid with the others', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  chain.runTo(95);
  const payment = wallet.pay('bank', 'bob', COIN, { fee: 10n });
  chain.cut({ blocks: [{ anchor: 1, transactions: [payment] }] });
  const result = chain.cut();
  assert.equal(result.height, 97);
  assert.deepEqual(
    result.events.outcomes.map(({ kind }) => kind),
    ['finalized'],
  );
  assert.equal(result.events.rewards[0]?.fees, 5n);
  assert.equal(result.events.rewards[0]?.share, HALF);
});

test('[ECON-12] the half of an anchor without work goes to the next anchor that has work', () => {
  const chain = new TestChain();
  chain.runTo(4);
  chain.cut({ blocks: [{ anchor: 4 }] });
  chain.cut({ blocks: [{ anchor: 5 }, { anchor: 5, payout: 'other' }] });
  chain.runTo(99);
  assert.equal(chain.economy.workCarry, 3n * HALF);
  const [first] = rewardsAt(chain, 100);
  assert.equal(first?.share, 4n * HALF);
  assert.equal(chain.economy.workCarry, 0n);
  assert.equal(rewardsAt(chain, 101)[0]?.share, HALF / 2n);
});

test('atoms that a division leaves are carried to the next anchor with work, never lost', () => {
  const chain = new TestChain();
  const count = 7;
  chain.cut();
  chain.cut({ blocks: Array.from({ length: count }, (_, i) => ({ payout: `miner ${i}` })) });
  chain.cut({ blocks: [{}] });
  const remainder = HALF % BigInt(count);
  assert.ok(remainder > 0n);
  const shares = rewardsAt(chain, 97).map(({ amount }) => amount);
  assert.deepEqual(shares, new Array(count).fill(HALF / BigInt(count)));
  assert.equal(chain.economy.workCarry, remainder);
  assert.equal(rewardsAt(chain, 98)[0]?.amount, HALF + remainder);
  assert.equal(chain.economy.workCarry, 0n);
});

test('blocks of one anchor and one address share one output, whose parts sum to it', () => {
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  chain.cut();
  chain.cut({
    blocks: [
      { payout: 'a', transactions: [wallet.pay('bank', 'bob', COIN, { fee: 9n })] },
      { payout: 'b' },
      { payout: 'a' },
    ],
  });
  const rewards = rewardsAt(chain, 97);
  const outputs = chain.state
    .records('outputs')
    .filter(([, { source }]) => source === 'work_reward');
  assert.equal(outputs.length, 2);
  for (const [key, { amount, address }] of outputs) {
    const parts = rewards.filter(
      ({ outpoint }) => outpoint !== null && outpointKey(outpoint) === key,
    );
    assert.equal(
      parts.reduce((sum, part) => sum + part.amount, 0n),
      amount,
    );
    assert.ok(parts.every(({ payoutAddress }) => payoutAddress === address));
    assert.ok(parts.every(({ outputAmount }) => outputAmount === amount));
  }
});

test('[ECON-13] a block that is not registered before the window closes is expired', () => {
  const anchorHeight = 10;
  const never = { anchorHeight, registeredHeight: null };
  assert.equal(blockRewardState(never, 104), 'waiting');
  assert.equal(blockRewardState(never, 105), 'expired');
  const chain = new TestChain();
  chain.runTo(104);
  chain.cut({ blocks: [{ anchor: anchorHeight, payout: 'in time' }] });
  assert.throws(() => chain.cut({ blocks: [{ anchor: anchorHeight, payout: 'late' }] }));
  chain.runTo(120);
  const paid = chain.state.records('outputs').map(([, { address }]) => address);
  assert.ok(paid.includes(addressOf('in time')));
  assert.ok(!paid.includes(addressOf('late')));
});

test('[ECON-14] a reward is final and can be spent as soon as it is paid', () => {
  const facts = { anchorHeight: 1, registeredHeight: 2 };
  assert.deepEqual(
    [1, 2, 96, 97, 10_000].map((height) => blockRewardState(facts, height)),
    ['waiting', 'registered', 'registered', 'paid', 'paid'],
  );
  const chain = new TestChain();
  const wallet = new TestWallet(chain);
  chain.cut();
  chain.cut({ blocks: [{}] });
  chain.runTo(97);
  const { events } = chain.execute(wallet.pay('miner', 'bob', COIN));
  assert.deepEqual(
    events.outcomes.map(({ kind }) => kind),
    ['finalized'],
  );
});

test('a block that earned nothing is paid nothing and makes no output', () => {
  const chain = new TestChain();
  chain.cut({ blocks: [{ anchor: 0 }] });
  const [reward] = rewardsAt(chain, 96);
  assert.equal(reward?.amount, 0n);
  assert.deepEqual([reward?.outpoint, reward?.outputAmount], [null, 0n]);
});
