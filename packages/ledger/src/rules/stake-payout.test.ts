import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeAll } from '../../test/testing/outcomes.ts';
import { addressOf, COIN, TestChain, type TestValidator } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import { present } from '../assertion.ts';
import type { StakePayout } from '../cut.ts';
import { LEDGER_PARAMETERS } from '../parameters.ts';
import { positionIdOf } from './positions.ts';

const M = 1_000_000n * COIN;

/** The stake half of the first interval's emission. */
const POOL = 270_000n * COIN;

function payouts(chain: TestChain, epoch: number): StakePayout[] {
  return chain.results
    .flatMap(({ events }) => events.stakePayouts)
    .filter((payout) => payout.epoch === epoch);
}

function amountFor(chain: TestChain, epoch: number, name: string): bigint {
  return payouts(chain, epoch)
    .filter(({ address }) => address === addressOf(`${name} rewards`))
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** The amount of the pool that was closed last. */
function lastPool(chain: TestChain): bigint {
  const [, pool] = present(chain.state.records('pools').at(-1), 'pool');
  return pool.amount;
}

function chainOf(validators: readonly TestValidator[], interval = 12) {
  const chain = new TestChain(validators, { interval });
  return { chain, wallet: new TestWallet(chain) };
}

test('[ECON-15] an interval is paid after its end, by principal as it stood at its start', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M, commissionBps: 0 }]);
  const alice = chain.validatorId('alice');
  executeAll(chain, wallet.bond('dora', alice, M), wallet.bond('emil', alice, 2n * M));
  chain.runToEndOf(0);
  assert.deepEqual(payouts(chain, 0), []);
  const first = chain.cut();
  assert.deepEqual(
    first.events.stakePayouts.map(({ address, positionKind }) => [address, positionKind]),
    [[addressOf('alice rewards'), 'self_bond']],
  );
  assert.equal(amountFor(chain, 0, 'alice'), POOL + 2_000n - 1_000n);
  const dora = chain.state
    .records('positions')
    .find(([, p]) => p.ownerAddress === addressOf('dora'));
  const operation = { type: 'unbond', positionId: dora?.[0] as string, amount: M } as const;
  executeAll(chain, wallet.operate('dora', operation));
  chain.runToEndOf(2);
  const pool = payouts(chain, 1).reduce((sum, { amount }) => sum + amount, 0n);
  assert.ok(pool > 0n);
  assert.equal(amountFor(chain, 1, 'dora'), amountFor(chain, 1, 'alice'));
  assert.equal(amountFor(chain, 1, 'emil'), 2n * amountFor(chain, 1, 'dora'));
  assert.equal(amountFor(chain, 2, 'dora'), 0n);
});

test('each payout is an output of its own to the reward address of the position', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M }]);
  const bond = wallet.bond('dora', chain.validatorId('alice'), M);
  executeAll(chain, bond);
  const positionId = positionIdOf(chain.ports.hash, bond.id);
  const operation = {
    type: 'reward_address',
    positionId,
    rewardAddress: addressOf('elsewhere'),
  } as const;
  executeAll(chain, wallet.operate('dora', operation));
  chain.runToEndOf(2);
  const paid = payouts(chain, 1).filter((payout) => payout.positionId === positionId);
  assert.deepEqual(
    paid.map(({ address }) => address),
    [addressOf('elsewhere')],
  );
  const outputs = chain.state
    .records('outputs')
    .filter(([, o]) => o.address === addressOf('elsewhere'));
  assert.deepEqual(
    outputs.map(([, { amount, source }]) => [amount, source]),
    [[paid[0]?.amount, 'stake_reward']],
  );
});

/** Signs in the first `count` windows that can be signed, and in none after. */
function attendWindows(chain: TestChain, epoch: number, absent: string, count: number): void {
  const { interval } = chain.parameters;
  const windowCuts = interval / 12;
  while (chain.height < (epoch + 1) * interval) {
    const window = Math.floor((chain.height - epoch * interval) / windowCuts);
    const bit = chain.bitOf(absent);
    chain.cut({ signers: window < count ? chain.allSigners : chain.allSigners & ~bit });
  }
}

test('[ECON-16] [LIMIT-20] nine of twelve windows earn, eight do not; the rest is carried on', () => {
  for (const [windows, earns] of [
    [8, false],
    [9, true],
    [12, true],
  ] as const) {
    const { chain, wallet } = chainOf(
      [
        { name: 'alice', amount: M, commissionBps: 0 },
        { name: 'bruno', amount: M, commissionBps: 0 },
      ],
      24,
    );
    executeAll(chain, wallet.bond('dora', chain.validatorId('bruno'), 2n * M));
    chain.runToEndOf(0);
    attendWindows(chain, 1, 'bruno', windows);
    const pool = lastPool(chain);
    chain.runToEndOf(2);
    assert.equal(amountFor(chain, 1, 'alice'), pool / 4n, `${windows} windows`);
    assert.equal(amountFor(chain, 1, 'bruno'), earns ? pool / 4n : 0n, `${windows} windows`);
    assert.equal(amountFor(chain, 1, 'dora'), earns ? pool / 2n : 0n, `${windows} windows`);
    const unpaid = pool - payouts(chain, 1).reduce((sum, { amount }) => sum + amount, 0n);
    const next = lastPool(chain);
    const collected = (270_000n * COIN * 997n * 997n) / 1_000_000n;
    assert.equal(next - unpaid, collected, `${windows} windows`);
  }
});

test('positions of validators without a seat do not share the pool', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M }]);
  executeAll(chain, wallet.register('nadia', 500_000n * COIN));
  executeAll(chain, wallet.bond('dora', chain.validatorId('nadia'), M));
  chain.runToEndOf(2);
  assert.ok(amountFor(chain, 1, 'alice') > 0n);
  assert.equal(amountFor(chain, 1, 'nadia'), 0n);
  assert.equal(amountFor(chain, 1, 'dora'), 0n);
});

test('[ECON-17] the own bond pays no commission, delegations pay the rate of the interval', () => {
  for (const bps of [0, 10, 500, 1_000]) {
    const { chain, wallet } = chainOf([{ name: 'alice', amount: M, commissionBps: bps }]);
    executeAll(chain, wallet.bond('dora', chain.validatorId('alice'), 3n * M));
    chain.runToEndOf(1);
    const pool = lastPool(chain);
    chain.runToEndOf(2);
    const share = (pool * 3n) / 4n;
    const commission = (share * BigInt(bps)) / 10_000n;
    assert.equal(amountFor(chain, 1, 'dora'), share - commission, `${bps} basis points`);
    assert.equal(amountFor(chain, 1, 'alice'), pool / 4n + commission, `${bps} basis points`);
  }
});

test('a commission that is no whole number of atoms is rounded down', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M, commissionBps: 10 }]);
  executeAll(chain, wallet.bond('dora', chain.validatorId('alice'), M + 12_345n));
  chain.runToEndOf(1);
  const share = (lastPool(chain) * (M + 12_345n)) / (2n * M + 12_345n);
  assert.notEqual((share * 10n) % 10_000n, 0n);
  chain.runToEndOf(2);
  assert.equal(amountFor(chain, 1, 'dora'), share - (share * 10n) / 10_000n);
});

test('[LIVE-07] [LIMIT-19] a commission holds from the 14th epoch on; one change can be pending', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M, commissionBps: 0 }]);
  const validatorId = chain.validatorId('alice');
  const announce = (commissionBps: number) =>
    wallet.operate('alice', { type: 'commission', validatorId, commissionBps });
  executeAll(chain, wallet.bond('dora', validatorId, M));
  chain.runToEndOf(0);
  executeAll(chain, announce(1_000));
  const { events } = chain.execute(announce(10));
  assert.equal(events.outcomes[0]?.reason, 'commission_pending');
  const rates: number[] = [];
  for (let epoch = 1; epoch <= 16; epoch++) {
    rates.push(chain.epoch.members[0]?.commissionBps as number);
    chain.runToEndOf(epoch);
  }
  assert.deepEqual(rates, [...new Array(14).fill(0), 1_000, 1_000]);
  executeAll(chain, announce(10));
});

test('[LIMIT-17] a commission is 0 to 1,000 basis points in steps of 10', () => {
  const table: [number, string][] = [
    [0, 'finalized'],
    [10, 'finalized'],
    [1_000, 'finalized'],
    [1_010, 'invalid'],
    [5, 'invalid'],
    [995, 'invalid'],
    [-10, 'invalid'],
  ];
  for (const [commissionBps, expected] of table) {
    const { chain, wallet } = chainOf([{ name: 'alice', amount: M }]);
    const validatorId = chain.validatorId('alice');
    const change = wallet.operate('alice', { type: 'commission', validatorId, commissionBps });
    const register = wallet.register('nadia', 100_000n * COIN, { commissionBps });
    const { events } = chain.execute(change, register);
    assert.deepEqual(
      events.outcomes.map(({ kind }) => kind),
      [expected, expected],
      `${commissionBps} basis points`,
    );
  }
});

test('a pool of many positions is paid over several cuts, at most 256 outputs in each', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M, commissionBps: 500 }], 120);
  const alice = chain.validatorId('alice');
  const { stakePayoutsPerCut, stakeVisitsPerCut } = LEDGER_PARAMETERS.mainnet;
  chain.parameters = { ...chain.parameters, stakePayoutsPerCut, stakeVisitsPerCut };
  fundAndBond(chain, wallet, alice, 600);
  chain.runToEndOf(1);
  const counts: number[] = [];
  for (let cut = 0; cut < 5; cut++) counts.push(chain.cut().events.stakePayouts.length);
  assert.deepEqual(counts, [256, 256, 89, 0, 0]);
  const paid = payouts(chain, 1);
  assert.equal(new Set(paid.map(({ positionId }) => positionId)).size, 601);
  const self = paid.filter(({ positionKind }) => positionKind === 'self_bond');
  assert.equal(self.length, 1);
  assert.equal(chain.economy.openPool, null);
  assert.equal(chain.economy.stakePool, chain.economy.stakeReserve, 'nothing is left outside');
});

test('positions that are due nothing cost no payment, and a cut looks at a limited number of them', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M, commissionBps: 0 }], 120);
  const alice = chain.validatorId('alice');
  fundAndBond(chain, wallet, alice, 20);
  chain.runToEndOf(1);
  chain.parameters = { ...chain.parameters, stakePayoutsPerCut: 5, stakeVisitsPerCut: 8 };
  fundAndBond(chain, wallet, alice, 30);
  const paid = payouts(chain, 1);
  assert.ok(paid.length < 21);
  const counts: number[] = [];
  while (chain.economy.openPool !== null) counts.push(chain.cut().events.stakePayouts.length);
  assert.equal(new Set(payouts(chain, 1).map(({ positionId }) => positionId)).size, 21);
  assert.ok(counts.every((count) => count <= 5));
  assert.ok(
    counts.some((count) => count > 0 && count < 5),
    'visits end some cuts',
  );
  chain.runToEndOf(3);
  chain.parameters = { ...chain.parameters, stakePayoutsPerCut: 51, stakeVisitsPerCut: 51 };
  assert.equal(chain.cut().events.stakePayouts.length, 51);
});

test('a pool that is not paid when the next one closes stops the node', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M }]);
  fundAndBond(chain, wallet, chain.validatorId('alice'), 20);
  chain.runToEndOf(1);
  chain.parameters = { ...chain.parameters, stakePayoutsPerCut: 1 };
  assert.throws(() => chain.runToEndOf(2), /the pool of epoch 1 is not paid/);
});

/** Opens many delegations; each bond spends the change of the one before it. */
function fundAndBond(
  chain: TestChain,
  wallet: TestWallet,
  validatorId: string,
  count: number,
): void {
  for (let left = count; left > 0; ) {
    const batch = Math.min(left, 30);
    executeAll(
      chain,
      ...Array.from({ length: batch }, () => wallet.bond('delegator', validatorId, COIN)),
    );
    left -= batch;
  }
}

test('the remainder atoms of a pool go into the next one', () => {
  const { chain, wallet } = chainOf([{ name: 'alice', amount: M, commissionBps: 0 }]);
  executeAll(chain, wallet.bond('dora', chain.validatorId('alice'), 7n));
  chain.runToEndOf(1);
  const pool = lastPool(chain);
  const before = chain.economy.stakePool;
  const { events } = chain.cut();
  const paid = events.stakePayouts.reduce((sum, { amount }) => sum + amount, 0n);
  assert.equal(pool - paid, 1n);
  const subsidy = chain.economy.emission.intervalAmount / 12n;
  const collected = chain.economy.stakePool - before;
  assert.ok(collected === subsidy - subsidy / 2n + 1n || collected === subsidy - subsidy / 2n + 2n);
});

test('if no position earned, the whole pool waits for the next interval', () => {
  const { chain } = chainOf([{ name: 'alice', amount: M }]);
  chain.runToEndOf(0, { signers: 0n });
  assert.equal(chain.economy.stakePool, POOL);
  assert.equal(chain.economy.openPool, null);
  chain.runToEndOf(1);
  chain.cut();
  assert.equal(amountFor(chain, 1, 'alice'), POOL + (POOL * 997n) / 1_000n);
});
