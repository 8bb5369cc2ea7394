import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeAll, kindsOf } from '../../test/testing/outcomes.ts';
import { addressOf, COIN, TestChain } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import { UNBONDING_CHUNKS_MAX } from '../parameters.ts';
import { positionIdOf } from './positions.ts';

const M = 1_000_000n * COIN;

function setUp() {
  const chain = new TestChain([{ name: 'alice', amount: M }]);
  const wallet = new TestWallet(chain);
  const bond = wallet.bond('dora', chain.validatorId('alice'), M);
  executeAll(chain, bond);
  return { chain, wallet, positionId: positionIdOf(chain.ports.hash, bond.id) };
}

test('a bond moves coins from outputs into the stake of its validator', () => {
  const { chain, positionId } = setUp();
  assert.equal(chain.economy.bonded, 2n * M);
  assert.equal(chain.state.get('validators', chain.validatorId('alice'))?.stake, 2n * M);
  assert.deepEqual(chain.state.get('positions', positionId), {
    kind: 'delegation',
    validatorId: chain.validatorId('alice'),
    ownerAddress: addressOf('dora'),
    rewardAddress: addressOf('dora rewards'),
    bonded: M,
    unbonding: [],
    stood: [{ epoch: 0, bonded: 0n }],
  });
});

test('parts of a position unbond by themselves and are withdrawn as they fall due', () => {
  const { chain, wallet, positionId } = setUp();
  const unbond = (amount: bigint) => wallet.operate('dora', { type: 'unbond', positionId, amount });
  const withdraw = () => wallet.operate('dora', { type: 'withdraw', positionId });
  const first = executeAll(chain, unbond(3n)).height;
  const second = executeAll(chain, unbond(4n)).height;
  assert.equal(chain.economy.bonded, 2n * M - 7n);
  assert.equal(chain.economy.unbonding, 7n);
  chain.runTo(first + 120 - 2);
  executeAll(chain, withdraw());
  assert.equal(chain.economy.unbonding, 4n);
  chain.runTo(second + 120 - 2);
  executeAll(chain, withdraw());
  assert.equal(chain.economy.unbonding, 0n);
  assert.equal(chain.state.get('positions', positionId)?.bonded, M - 7n);
  assert.deepEqual(kindsOf(chain.execute(withdraw())), ['no_effect: nothing_released']);
});

test('what cannot be unbonded has no effect', () => {
  const { chain, wallet, positionId } = setUp();
  const selfBond = chain.state.records('positions').find(([, { kind }]) => kind === 'self_bond');
  const selfBondId = selfBond?.[0] as string;
  const result = chain.execute(
    wallet.operate('mallory', { type: 'unbond', positionId, amount: 1n }),
    wallet.operate('dora', { type: 'unbond', positionId, amount: M + 1n }),
    wallet.operate('dora', { type: 'unbond', positionId: 'f'.repeat(96), amount: 1n }),
    wallet.operate('alice', {
      type: 'unbond',
      positionId: selfBondId,
      amount: 900_000n * COIN + 1n,
    }),
    wallet.operate('alice', { type: 'unbond', positionId: selfBondId, amount: 900_000n * COIN }),
    wallet.operate('dora', { type: 'unbond', positionId, amount: M }),
  );
  assert.deepEqual(kindsOf(result), [
    'invalid: wrong_witness',
    'no_effect: more_than_bonded',
    'no_effect: position_unknown',
    'no_effect: below_self_bond',
    'finalized',
    'finalized',
  ]);
});

test('a delegation holds the minimum of the network, or nothing', () => {
  const chain = new TestChain([{ name: 'alice', amount: M }], { positionMin: 100n * COIN });
  const wallet = new TestWallet(chain);
  const alice = chain.validatorId('alice');
  const opened = wallet.bond('dora', alice, 250n * COIN);
  const bonds = [wallet.bond('emil', alice, 100n * COIN - 1n), opened];
  assert.deepEqual(kindsOf(chain.execute(...bonds, wallet.bond('emil', alice, 100n * COIN))), [
    'invalid: below_position_minimum',
    'finalized',
    'finalized',
  ]);
  const positionId = positionIdOf(chain.ports.hash, opened.id);
  const unbond = (amount: bigint) => wallet.operate('dora', { type: 'unbond', positionId, amount });
  const result = chain.execute(
    unbond(150n * COIN + 1n),
    unbond(250n * COIN - 1n),
    unbond(150n * COIN),
    unbond(1n),
    unbond(100n * COIN),
  );
  assert.deepEqual(kindsOf(result), [
    'no_effect: below_position_minimum',
    'no_effect: below_position_minimum',
    'finalized',
    'no_effect: below_position_minimum',
    'finalized',
  ]);
});

test('a position holds a limited number of parts that unbond', () => {
  const { chain, wallet, positionId } = setUp();
  const unbond = () => wallet.operate('dora', { type: 'unbond', positionId, amount: 1n });
  executeAll(chain, ...Array.from({ length: UNBONDING_CHUNKS_MAX }, unbond));
  assert.deepEqual(kindsOf(chain.execute(unbond())), ['no_effect: too_many_unbondings']);
});

test('a position that is empty is gone, its validator stays', () => {
  const { chain, wallet, positionId } = setUp();
  const { height } = executeAll(
    chain,
    wallet.operate('dora', { type: 'unbond', positionId, amount: M }),
  );
  chain.runTo(height + 120);
  executeAll(chain, wallet.operate('dora', { type: 'withdraw', positionId }));
  assert.equal(chain.state.get('positions', positionId), undefined);
  assert.equal(chain.state.get('validators', chain.validatorId('alice'))?.positionCount, 1);
});
