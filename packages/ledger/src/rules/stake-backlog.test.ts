import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SumTrees } from '../../test/testing/sum-trees.ts';
import { addressOf, COIN, TestChain } from '../../test/testing/test-chain.ts';
import { leafChanges } from '../commitment/leaf-changes.ts';
import type { StakePayout } from '../cut.ts';
import { Overlay } from '../overlay.ts';
import { STAKE_PAYOUTS_PER_CUT_MAX, STAKE_POOLS_OPEN_MAX } from '../parameters.ts';
import { SINGLE_KEY } from '../records.ts';

/** A chain with so many delegations that an interval is too short to pay one pool. */
function crowdedChain(delegations: number): TestChain {
  const chain = new TestChain(
    [{ name: 'alice', amount: 1_000_000n * COIN, commissionBps: 100 }],
    {},
    new SumTrees(),
  );
  const validatorId = chain.validatorId('alice');
  const state = new Overlay(chain.state);
  const { economy } = chain;
  const validator = state.get('validators', validatorId);
  assert.ok(validator !== undefined);
  const added = BigInt(delegations) * COIN;
  for (let index = 0; index < delegations; index++) {
    state.put('positions', index.toString(16).padStart(96, '0'), {
      kind: 'delegation',
      validatorId,
      ownerAddress: addressOf('crowd'),
      rewardAddress: addressOf('crowd'),
      bonded: COIN,
      unbonding: [],
      stood: [{ epoch: 0, bonded: 0n }],
    });
  }
  state.put('validators', validatorId, {
    ...validator,
    stake: validator.stake + added,
    positionCount: delegations + 1,
  });
  state.put('economy', SINGLE_KEY, {
    ...economy,
    bonded: economy.bonded + added,
    minted: economy.minted + added,
  });
  const changes = state.changes();
  chain.trees = chain.trees.stage(leafChanges(changes)) as SumTrees;
  chain.state.apply(changes);
  return chain;
}

test('if paying falls behind, pools queue up to a limit, in order, and no atom is lost', () => {
  const chain = crowdedChain(9_000);
  const payouts: StakePayout[] = [];
  let openMax = 0;
  for (let cut = 0; cut < 150; cut++) {
    const { events } = chain.cut();
    assert.ok(events.stakePayouts.length <= STAKE_PAYOUTS_PER_CUT_MAX);
    payouts.push(...events.stakePayouts);
    openMax = Math.max(openMax, chain.economy.openPools.length);
  }
  assert.equal(openMax, STAKE_POOLS_OPEN_MAX);
  const epochs = payouts.map(({ epoch }) => epoch);
  assert.deepEqual(
    epochs,
    [...epochs].sort((a, b) => a - b),
  );
  for (const epoch of new Set(epochs)) {
    const paid = payouts.filter((payout) => payout.epoch === epoch);
    assert.equal(new Set(paid.map(({ positionId }) => positionId)).size, paid.length);
  }
  const complete = payouts
    .filter(({ epoch }) => epoch === 1)
    .map(({ positionKind }) => positionKind);
  assert.equal(complete.length, 9_001);
  assert.equal(complete.at(-1), 'self_bond');
});
