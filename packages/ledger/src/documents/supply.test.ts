import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeAll } from '../../test/testing/outcomes.ts';
import { addressOf, COIN, TestChain } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import { BURN_ADDRESS } from '../identifiers.ts';
import { GENESIS_SUPPLY } from '../parameters.ts';
import { emissionDocument } from './emission.ts';
import { stakingEstimate } from './staking-estimate.ts';
import { supplyDocument } from './supply.ts';

const M = 1_000_000n * COIN;

/** A chain on which something of everything has happened. */
function eventfulChain(): TestChain {
  const chain = new TestChain([
    { name: 'alice', amount: M },
    { name: 'bruno', amount: M },
  ]);
  const wallet = new TestWallet(chain);
  executeAll(
    chain,
    wallet.draft({ from: 'bank', outputs: [{ address: BURN_ADDRESS, amount: 5n * COIN }] }),
    wallet.bond('dora', chain.validatorId('alice'), M),
    wallet.pay('bank', 'bob', 7n * COIN),
  );
  const [positionId] = chain.state
    .records('positions')
    .find(([, { ownerAddress }]) => ownerAddress === addressOf('dora')) as [string, unknown];
  executeAll(chain, wallet.operate('dora', { type: 'unbond', positionId, amount: 300n * COIN }));
  chain.cut({ evidence: [{ validatorId: chain.validatorId('bruno'), height: 1 }] });
  return chain;
}

test('[SUPPLY-01] [SUPPLY-02] [SUPPLY-03] [SUPPLY-04] supply: maximum, minted, burned and total', () => {
  const chain = eventfulChain();
  const supply = supplyDocument(chain.economy);
  const subsidies = (540_000n * COIN * BigInt(chain.height)) / 12n;
  const burned = 5n * COIN + M;
  assert.equal(supply.maxSupply, 200_000_000n * COIN);
  assert.equal(supply.minted, GENESIS_SUPPLY + subsidies);
  assert.equal(supply.burned, burned);
  assert.equal(supply.totalSupply, GENESIS_SUPPLY + subsidies - burned);
});

test('[SUPPLY-05] circulating supply is the sum of all unspent outputs', () => {
  const chain = eventfulChain();
  const outputs = chain.state.records('outputs').reduce((sum, [, { amount }]) => sum + amount, 0n);
  assert.equal(supplyDocument(chain.economy).circulatingSupply, outputs);
});

test('[SUPPLY-06] [SUPPLY-07] bonded stake counts for validators, unbonding is on its way back', () => {
  const chain = eventfulChain();
  const supply = supplyDocument(chain.economy);
  const stakes = chain.state.records('validators').reduce((sum, [, { stake }]) => sum + stake, 0n);
  assert.equal(supply.bonded, stakes);
  assert.equal(supply.bonded, 2n * M - 300n * COIN);
  assert.equal(supply.unbonding, 300n * COIN);
});

test('[SUPPLY-08] the reserves hold what was earned and is not yet paid', () => {
  const chain = eventfulChain();
  chain.runTo(chain.height + 110);
  const supply = supplyDocument(chain.economy);
  const anchors = chain.state.records('anchors').map(([, { amount }]) => amount);
  const fees = chain.state.records('blocks').map(([, block]) => block.fees);
  const parts = [...anchors, ...fees];
  const work = parts.reduce((sum, amount) => sum + amount, chain.economy.workCarry);
  assert.equal(supply.workReserve, work);
  const pools = chain.state.records('pools').map(([, { amount, paid }]) => amount - paid);
  const stake = pools.reduce((sum, amount) => sum + amount, chain.economy.stakePool);
  assert.equal(supply.stakeReserve, stake);
  assert.notEqual(work, stake, 'one reserve cannot be shown for the other');
});

test('[SUPPLY-08] what a block earned leaves the work reserve when it is paid, the stake reserve keeps its half', () => {
  const chain = new TestChain([{ name: 'alice', amount: M }], { interval: 1_200 });
  const half = (540_000n * COIN) / 1_200n / 2n;
  chain.cut();
  chain.cut({ blocks: [{}] });
  chain.runTo(96);
  const before = supplyDocument(chain.economy);
  assert.deepEqual([before.workReserve, before.stakeReserve], [half * 96n, half * 96n]);
  const paid = (): number => chain.results.flatMap(({ events }) => events.rewards).length;
  while (paid() === 0 && chain.height < 110) chain.cut();
  assert.equal(paid(), 1);
  const after = supplyDocument(chain.economy);
  const cuts = BigInt(chain.height);
  assert.equal(after.stakeReserve, half * cuts);
  assert.equal(after.workReserve, half * (cuts - 1n));
});

test('[SUPPLY-09] [SUPPLY-10] what is to come, and the invariant at every cut', () => {
  const chain = eventfulChain();
  for (let cut = 0; cut < 40; cut++) {
    const supply = supplyDocument(chain.economy);
    assert.equal(supply.unscheduledEmission, supply.maxSupply - supply.minted);
    assert.equal(
      supply.totalSupply,
      supply.circulatingSupply +
        supply.bonded +
        supply.unbonding +
        supply.workReserve +
        supply.stakeReserve,
    );
    chain.cut({ blocks: cut % 3 === 0 ? [{}] : [] });
  }
});

test('[ECON-20] the root of the output set commits the sum of all outputs', () => {
  const chain = eventfulChain();
  const { outputs, bonded, unbonding } = chain.economy;
  assert.equal(chain.trees.roots.outputs.sum, outputs);
  assert.equal(chain.trees.roots.outputs.count, BigInt(chain.state.keys('outputs').length));
  assert.equal(chain.trees.roots.positions.sum, bonded + unbonding);
  assert.equal(chain.trees.roots.validators.sum, bonded);
});

test('the emission document names the subsidy of the next cut and the next reduction', () => {
  const chain = new TestChain();
  const start = emissionDocument(chain.parameters, chain.economy);
  assert.equal(start.subsidy, 45_000n * COIN);
  assert.equal(start.nextReductionHeight, 13);
  assert.equal(start.cutsToNextReduction, 13);
  assert.equal(start.nextIntervalAmount, (540_000n * COIN * 997n) / 1_000n);
  chain.runTo(12);
  const next = emissionDocument(chain.parameters, chain.economy);
  assert.equal(next.epoch, 1);
  assert.equal(next.subsidy, (45_000n * COIN * 997n) / 1_000n);
  assert.equal(next.nextReductionHeight, 25);
  assert.equal(next.issued, 540_000n * COIN);
  assert.equal(next.issued + next.toCome, 180_000_000n * COIN);
  const { subsidy } = next;
  const { minted } = chain.economy;
  chain.cut();
  assert.equal(chain.economy.minted - minted, subsidy);
});

test('the staking estimate is what a delegation then earns, apart from fees and commission', () => {
  const chain = new TestChain([{ name: 'alice', amount: M, commissionBps: 0 }]);
  const wallet = new TestWallet(chain);
  executeAll(chain, wallet.bond('dora', chain.validatorId('alice'), M));
  chain.runToEndOf(0);
  const estimate = stakingEstimate(
    chain.economy,
    { ...chain.epoch, members: chain.epoch.members.map((m) => ({ ...m, stake: M })) },
    M,
  );
  chain.runToEndOf(2);
  const paid = chain.results
    .flatMap(({ events }) => events.stakePayouts)
    .find(({ epoch, positionKind }) => epoch === 1 && positionKind === 'delegation');
  assert.equal(paid?.amount, estimate.rewardPerDay);
  assert.equal(estimate.poolPerDay, (270_000n * COIN * 997n) / 1_000n);
});
