import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeAll, kindsOf } from '../../test/testing/outcomes.ts';
import { addressOf, COIN, TestChain } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import { checkCut } from '../check-cut.ts';
import type { HistoryEntry } from '../cut.ts';
import type { PositionRecord } from '../records.ts';
import { principalHeld, unbondingOf } from './positions.ts';

const M = 1_000_000n * COIN;

function setUp() {
  const chain = new TestChain([
    { name: 'alice', amount: M },
    { name: 'bruno', amount: M },
  ]);
  const wallet = new TestWallet(chain);
  const validatorId = chain.validatorId('bruno');
  return { chain, wallet, validatorId };
}

function positionOf(chain: TestChain, owner: string): [string, PositionRecord] {
  const found = chain.state
    .records('positions')
    .find(([, { ownerAddress }]) => ownerAddress === addressOf(owner));
  assert.ok(found, `${owner} has no position`);
  return found;
}

/** What an owner gets back of a position that unbonds, part by part. */
function leavingOf(chain: TestChain, owner: string): bigint[] {
  const [, position] = positionOf(chain, owner);
  const validator = chain.state.get('validators', position.validatorId);
  assert.ok(validator !== undefined);
  return unbondingOf(chain.parameters, position, validator).map(({ amount }) => amount);
}

test('[ECON-18] the own bond and a tenth of every delegation that can be slashed are burned', () => {
  const { chain, wallet, validatorId } = setUp();
  executeAll(
    chain,
    wallet.bond('dora', validatorId, 1_000_009n),
    wallet.bond('emil', validatorId, 2_000_000n),
    wallet.bond('finn', validatorId, 5_000_000n),
  );
  const [emil] = positionOf(chain, 'emil');
  const [finn] = positionOf(chain, 'finn');
  const early = executeAll(
    chain,
    wallet.operate('finn', { type: 'unbond', positionId: finn, amount: 5_000_000n }),
  );
  chain.runTo(early.height + 121);
  executeAll(chain, wallet.operate('emil', { type: 'unbond', positionId: emil, amount: 500_005n }));
  const before = chain.economy;
  const offence = { validatorId, height: chain.height - 3 };
  const { events } = chain.cut({ evidence: [offence] });
  const burned = M + 100_000n + 149_999n + 50_000n;
  assert.deepEqual(events.burns, [{ cause: 'equivocation', validatorId, amount: burned }]);
  assert.equal(chain.economy.burned, before.burned + burned);
  assert.deepEqual(leavingOf(chain, 'dora'), [900_009n]);
  assert.deepEqual(leavingOf(chain, 'emil'), [450_005n, 1_349_996n]);
  assert.deepEqual(leavingOf(chain, 'finn'), [5_000_000n]);
  assert.equal(chain.economy.unbonding, 900_009n + 450_005n + 1_349_996n + 5_000_000n);
  assert.equal(chain.economy.slashed, burned - M);
  assert.ok(
    !chain.state
      .records('positions')
      .some(([, p]) => p.kind === 'self_bond' && p.validatorId === validatorId),
  );
  assert.equal(chain.state.get('validators', validatorId)?.status, 'removed');
});

function isReturn({ source }: HistoryEntry): boolean {
  return source === 'stake_return';
}

test('delegators of a removed validator withdraw the rest ten intervals later', () => {
  const { chain, wallet, validatorId } = setUp();
  executeAll(chain, wallet.bond('dora', validatorId, 1_000n));
  const { height } = chain.cut({ evidence: [{ validatorId, height: 1 }] });
  const withdraw = () =>
    wallet.operate('dora', { type: 'withdraw', positionId: positionOf(chain, 'dora')[0] });
  chain.runTo(height + 120 - 3);
  assert.deepEqual(kindsOf(chain.execute(withdraw())), ['no_effect: nothing_released']);
  chain.cut({ blocks: [{ transactions: [withdraw()] }] });
  assert.deepEqual(kindsOf(chain.cut()), ['finalized']);
  const [returned] = chain.results.at(-1)?.events.history.filter(isReturn) ?? [];
  assert.equal(returned?.amount, 900n);
  assert.equal(chain.economy.unbonding, 0n);
  assert.equal(chain.economy.slashed, 0n);
});

test('a removed validator stays in the state when nothing is left of its positions, one that exited does not', () => {
  const { chain, wallet, validatorId } = setUp();
  executeAll(chain, wallet.bond('dora', validatorId, 1_000n));
  const [positionId] = positionOf(chain, 'dora');
  const { height } = chain.cut({ evidence: [{ validatorId, height: 1 }] });
  const record = () => chain.state.get('validators', validatorId);
  const withRemoval = { status: 'removed', removedHeight: height, removalBurned: M + 100n };
  assert.partialDeepStrictEqual(record(), { ...withRemoval, positionCount: 1 });
  const exited = chain.validatorId('alice');
  executeAll(chain, wallet.operate('alice', { type: 'exit', validatorId: exited }));
  const [own] = positionOf(chain, 'alice');
  chain.runTo(height + 122);
  executeAll(chain, wallet.operate('dora', { type: 'withdraw', positionId }));
  executeAll(chain, wallet.operate('alice', { type: 'withdraw', positionId: own }));
  assert.deepEqual(chain.state.records('positions'), []);
  assert.equal(chain.state.get('validators', exited), undefined);
  assert.partialDeepStrictEqual(record(), { ...withRemoval, positionCount: 0, stake: 0n });
  const late = { validatorId, height: chain.height };
  assert.deepEqual(checkCut(chain.parameters, chain.state, chain.input({ evidence: [late] })), {
    part: 'evidence',
    fault: 'repeated',
  });
});

test('one offence is punished once, within ten intervals', () => {
  const { chain, wallet, validatorId } = setUp();
  executeAll(chain, wallet.bond('dora', validatorId, COIN));
  const faultOf = (height: number) =>
    checkCut(chain.parameters, chain.state, chain.input({ evidence: [{ validatorId, height }] }));
  chain.runTo(130);
  assert.deepEqual(faultOf(10), { part: 'evidence', fault: 'too_old' });
  assert.equal(faultOf(11), null);
  assert.equal(faultOf(131), null);
  assert.deepEqual(faultOf(132), { part: 'evidence', fault: 'too_early' });
  const twice = [
    { validatorId, height: 100 },
    { validatorId, height: 101 },
  ];
  const repeated = { part: 'evidence', fault: 'repeated' };
  assert.deepEqual(
    checkCut(chain.parameters, chain.state, chain.input({ evidence: twice })),
    repeated,
  );
  chain.cut({ evidence: [{ validatorId, height: 100 }] });
  assert.deepEqual(faultOf(100), repeated);
  assert.deepEqual(faultOf(120), repeated);
});

test('a validator that left can still be punished while its stake unbonds', () => {
  const { chain, wallet, validatorId } = setUp();
  executeAll(chain, wallet.bond('dora', validatorId, 1_000n));
  executeAll(chain, wallet.operate('bruno', { type: 'exit', validatorId }));
  const exitHeight = chain.state.get('validators', validatorId)?.endHeight;
  chain.runTo(50);
  chain.cut({ evidence: [{ validatorId, height: 2 }] });
  assert.equal(chain.economy.burned, M + 100n);
  assert.equal(chain.state.get('validators', validatorId)?.endHeight, exitHeight);
});

test('a removed validator has no seat in the next committee and earns nothing for its last epoch', () => {
  const { chain, wallet, validatorId } = setUp();
  executeAll(chain, wallet.bond('dora', validatorId, M));
  chain.runToEndOf(0);
  chain.cut({ evidence: [{ validatorId, height: 5 }] });
  assert.equal(chain.epoch.members.length, 2);
  chain.runToEndOf(1);
  assert.deepEqual(
    chain.epoch.members.map((member) => member.validatorId),
    [chain.validatorId('alice')],
  );
  chain.runToEndOf(2);
  const paid = chain.results
    .flatMap(({ events }) => events.stakePayouts)
    .filter((payout) => payout.validatorId === validatorId);
  assert.deepEqual(
    paid.map(({ epoch }) => epoch),
    [],
  );
});

test('a removal between an interval and its payment takes the own share, not the delegators’', () => {
  const { chain, wallet, validatorId } = setUp();
  executeAll(chain, wallet.bond('dora', validatorId, M));
  chain.runToEndOf(1);
  chain.cut({ evidence: [{ validatorId, height: 20 }] });
  const paid = chain.results
    .flatMap(({ events }) => events.stakePayouts)
    .filter((payout) => payout.validatorId === validatorId && payout.epoch === 1);
  assert.deepEqual(
    paid.map(({ positionKind }) => positionKind),
    ['delegation'],
  );
});

test('stake that can be withdrawn in the very cut of the evidence is not slashed, one cut before it is', () => {
  for (const [delay, left] of [
    [119, 900n],
    [120, 1_000n],
  ] as const) {
    const { chain, wallet, validatorId } = setUp();
    executeAll(chain, wallet.bond('dora', validatorId, 1_000n));
    const [positionId] = positionOf(chain, 'dora');
    const { height } = executeAll(
      chain,
      wallet.operate('dora', { type: 'unbond', positionId, amount: 1_000n }),
    );
    chain.runTo(height + delay - 1);
    chain.cut({ evidence: [{ validatorId, height: height + 1 }] });
    assert.deepEqual(leavingOf(chain, 'dora'), [left], `after ${delay} cuts`);
  }
});

test('after an exit nothing is burned in the very cut that frees the stake, one cut before all of it is', () => {
  for (const [delay, burned] of [
    [119, M + 100n],
    [120, 0n],
  ] as const) {
    const { chain, wallet, validatorId } = setUp();
    executeAll(chain, wallet.bond('dora', validatorId, 1_000n));
    const { height } = executeAll(chain, wallet.operate('bruno', { type: 'exit', validatorId }));
    chain.runTo(height + delay - 1);
    chain.cut({ evidence: [{ validatorId, height }] });
    assert.equal(chain.economy.burned, burned, `after ${delay} cuts`);
    assert.equal(chain.economy.unbonding, M + 1_000n - burned, `after ${delay} cuts`);
  }
});

test('the part of an own bond that is free in the very cut of the evidence is left to its owner', () => {
  for (const [delay, left] of [
    [119, []],
    [120, [5n]],
  ] as const) {
    const { chain, wallet, validatorId } = setUp();
    const [positionId] = positionOf(chain, 'bruno');
    const unbond = wallet.operate('bruno', { type: 'unbond', positionId, amount: 5n });
    const { height } = executeAll(chain, unbond);
    chain.runTo(height + delay - 1);
    chain.cut({ evidence: [{ validatorId, height: height + 1 }] });
    const unbonding = chain.state.get('positions', positionId)?.unbonding ?? [];
    assert.deepEqual(
      unbonding.map(({ amount }) => amount),
      left,
      `after ${delay} cuts`,
    );
  }
});

test('a removed validator is paid nothing even if a part of its bond cannot be slashed any more', () => {
  const { chain, wallet, validatorId } = setUp();
  const [positionId] = positionOf(chain, 'bruno');
  const { height } = executeAll(
    chain,
    wallet.operate('bruno', { type: 'unbond', positionId, amount: 5n }),
  );
  for (let epoch = 0; epoch < 12; epoch++) {
    for (const owner of ['alice', 'bruno']) {
      const { consensusKey } = chain.state.get('validators', chain.validatorId(owner)) as {
        consensusKey: { keyHash: string };
      };
      const operation = {
        type: 'heartbeat',
        validatorId: chain.validatorId(owner),
        epoch: BigInt(chain.epoch.epoch),
      } as const;
      chain.execute(wallet.draft({ from: 'bank', operation, owner: `00${consensusKey.keyHash}` }));
    }
    chain.runToEndOf(epoch);
  }
  assert.ok(chain.height > height + 120);
  const { events } = chain.cut({ evidence: [{ validatorId, height: chain.height }] });
  assert.equal(chain.state.get('positions', positionId)?.unbonding[0]?.amount, 5n);
  assert.deepEqual(
    events.stakePayouts.map((payout) => payout.validatorId),
    [chain.validatorId('alice')],
  );
});

test('a slash is seen wherever a position is read, and meets each part of it once', () => {
  const { chain, wallet, validatorId } = setUp();
  executeAll(chain, wallet.bond('dora', validatorId, 1_009n));
  const [positionId] = positionOf(chain, 'dora');
  const unbond = wallet.operate('dora', { type: 'unbond', positionId, amount: 19n });
  const first = executeAll(chain, unbond).height;
  const second = chain.cut({ evidence: [{ validatorId, height: 2 }] }).height;
  const held = (): bigint => {
    const position = positionOf(chain, 'dora')[1];
    const validator = chain.state.get('validators', validatorId);
    assert.ok(validator !== undefined);
    return principalHeld(chain.parameters, position, validator);
  };
  assert.deepEqual(leavingOf(chain, 'dora'), [18n, 891n]);
  assert.equal(held(), 909n);
  const withdraw = () => wallet.operate('dora', { type: 'withdraw', positionId });
  const rewardAddress = addressOf('elsewhere');
  executeAll(chain, wallet.operate('dora', { type: 'reward_address', positionId, rewardAddress }));
  assert.equal(held(), 909n);
  chain.runTo(first + 120 - 2);
  executeAll(chain, withdraw());
  assert.deepEqual(leavingOf(chain, 'dora'), [891n]);
  assert.deepEqual([chain.economy.unbonding, chain.economy.slashed], [891n, 99n]);
  chain.runTo(second + 120);
  executeAll(chain, withdraw());
  assert.deepEqual([chain.economy.unbonding, chain.economy.slashed], [0n, 0n]);
});

test('a removal changes no delegation, however many there are', () => {
  const { chain, wallet, validatorId } = setUp();
  const owners = Array.from({ length: 40 }, (_, index) => `person ${index}`);
  for (const owner of owners) executeAll(chain, wallet.bond(owner, validatorId, 1_000n));
  const { changes } = chain.cut({ evidence: [{ validatorId, height: 2 }] });
  const selfBond = changes.filter(({ table }) => table === 'positions');
  assert.equal(selfBond.length, 1);
  assert.equal(chain.economy.burned, M + 40n * 100n);
});
