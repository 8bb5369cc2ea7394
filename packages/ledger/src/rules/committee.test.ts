import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeAll } from '../../test/testing/outcomes.ts';
import { COIN, TestChain, type TestValidator } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';

const BOND = 100_000n * COIN;

test('[ECON-21] [LIMIT-15] the 64 eligible validators with the most stake form the committee', () => {
  const validators: TestValidator[] = Array.from({ length: 64 }, (_, index) => ({
    name: `validator ${index}`,
    amount: BOND + BigInt(index) * COIN,
  }));
  const chain = new TestChain(validators);
  const wallet = new TestWallet(chain);
  executeAll(
    chain,
    wallet.register('strong', BOND + 1_000n * COIN),
    wallet.register('tied', BOND + COIN),
  );
  chain.runToEndOf(1);
  const seats = chain.epoch.members.map(({ validatorId }) => validatorId);
  assert.equal(seats.length, 64);
  assert.ok(seats.includes(chain.validatorId('strong')));
  assert.ok(!seats.includes(chain.validatorId('validator 0')), 'the weakest has lost its seat');
  const tied = ['tied', 'validator 1'].map((name) => chain.validatorId(name)).sort();
  assert.deepEqual(
    tied.map((id) => seats.includes(id)),
    [true, false],
    'of two with the same stake the lower id sits',
  );
  assert.deepEqual(seats, [...seats].sort());
});

test('stake that changes during an epoch counts from the next one', () => {
  const chain = new TestChain([{ name: 'alice', amount: BOND }]);
  const wallet = new TestWallet(chain);
  executeAll(chain, wallet.bond('dora', chain.validatorId('alice'), COIN));
  assert.equal(chain.epoch.members[0]?.stake, BOND);
  chain.runToEndOf(0);
  assert.equal(chain.epoch.members[0]?.stake, BOND + COIN);
});

test('the set is named one cut ahead: the last cut of an epoch names the next set', () => {
  const chain = new TestChain([{ name: 'alice', amount: BOND }]);
  const wallet = new TestWallet(chain);
  executeAll(chain, wallet.bond('dora', chain.validatorId('alice'), COIN));
  chain.runTo(14);
  const names = chain.results.map(({ validatorSetId, nextValidatorSetId }) => [
    validatorSetId === chain.genesis.validatorSetId,
    nextValidatorSetId === chain.genesis.validatorSetId,
  ]);
  assert.deepEqual(names[10], [true, true]);
  assert.deepEqual(names[11], [true, false]);
  assert.deepEqual(names[12], [false, false]);
});

test('if no validator is eligible the active members of the last committee stay', () => {
  const chain = new TestChain([
    { name: 'alice', amount: BOND },
    { name: 'bruno', amount: BOND },
  ]);
  chain.runToEndOf(8, { signers: 0n });
  assert.equal(chain.epoch.members.length, 2);
  assert.ok(chain.epoch.members.every(({ sharesPool }) => sharesPool));
});

test('of a committee in which no member is eligible, those who left do not stay', () => {
  const chain = new TestChain([
    { name: 'alice', amount: BOND },
    { name: 'bruno', amount: BOND },
  ]);
  const wallet = new TestWallet(chain);
  const validatorId = chain.validatorId('bruno');
  chain.runToEndOf(5, { signers: 0n });
  executeAll(chain, wallet.operate('bruno', { type: 'exit', validatorId }));
  chain.runToEndOf(6, { signers: 0n });
  assert.deepEqual(
    chain.epoch.members.map((member) => member.validatorId),
    [chain.validatorId('alice')],
  );
});

test('if all members have left, the last committee continues without reward', () => {
  const chain = new TestChain([{ name: 'alice', amount: BOND }]);
  const wallet = new TestWallet(chain);
  const validatorId = chain.validatorId('alice');
  executeAll(chain, wallet.operate('alice', { type: 'exit', validatorId }));
  chain.runToEndOf(0);
  assert.deepEqual(
    chain.epoch.members.map((member) => [member.validatorId, member.stake, member.sharesPool]),
    [[validatorId, BOND, false]],
  );
  chain.runToEndOf(2);
  const paid = chain.results.flatMap(({ events }) => events.stakePayouts.map(({ epoch }) => epoch));
  assert.deepEqual(paid, [0]);
});

test('a removed validator keeps its place and its weight until the epoch ends, and has none in the next', () => {
  const chain = new TestChain([
    { name: 'alice', amount: 1_000_000n * COIN },
    { name: 'bruno', amount: 1_000_000n * COIN },
  ]);
  const validatorId = chain.validatorId('bruno');
  chain.runToEndOf(0);
  const seats = () => chain.epoch.members.map(({ validatorId: id, stake }) => ({ id, stake }));
  const before = seats();
  chain.cut({ evidence: [{ validatorId, height: 5 }] });
  assert.notEqual(chain.state.get('validators', validatorId)?.status, 'active');
  assert.deepEqual(seats(), before);
  assert.equal(before.length, 2);
  chain.runToEndOf(1);
  assert.ok(chain.epoch.members.every((member) => member.validatorId !== validatorId));
});

test('signers that the first cut of an epoch names are of the set before, and do not count', () => {
  const chain = new TestChain([{ name: 'alice', amount: BOND }]);
  chain.runToEndOf(0);
  const windows = () => chain.epoch.attendance.map((attendance) => attendance.windows);
  chain.cut();
  assert.deepEqual(windows(), [0]);
  chain.cut();
  assert.deepEqual(windows(), [2]);
});
