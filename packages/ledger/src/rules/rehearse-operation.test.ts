import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeAll, kindsOf } from '../../test/testing/outcomes.ts';
import { addressOf, COIN, TestChain } from '../../test/testing/test-chain.ts';
import { TestWallet } from '../../test/testing/test-wallet.ts';
import type { Operation } from '../protocol.ts';
import { operationOwner } from './operations.ts';
import { positionIdOf } from './positions.ts';
import { rehearseOperation } from './rehearse-operation.ts';

function setUp() {
  const chain = new TestChain([{ name: 'alice', amount: 1_000_000n * COIN }]);
  const wallet = new TestWallet(chain);
  const bond = wallet.bond('dora', chain.validatorId('alice'), 50n * COIN);
  executeAll(chain, bond);
  return { chain, wallet, positionId: positionIdOf(chain.ports.hash, bond.id) };
}

test('a rehearsal says what execution would say, and leaves the state as it was', () => {
  const { chain, positionId } = setUp();
  const validatorId = chain.validatorId('alice');
  const operations: Operation[] = [
    { type: 'unbond', positionId, amount: COIN },
    { type: 'unbond', positionId, amount: 51n * COIN },
    { type: 'withdraw', positionId },
    { type: 'withdraw', positionId: 'f'.repeat(96) },
    { type: 'heartbeat', validatorId, epoch: 0n },
    { type: 'heartbeat', validatorId, epoch: 9n },
    { type: 'commission', validatorId, commissionBps: 7 },
    { type: 'exit', validatorId },
    { type: 'exit', validatorId: 'e'.repeat(96) },
  ];
  const verdicts = operations.map((operation) => {
    const { chain: other, wallet } = setUp();
    const owner = operationOwner(other.state, operation);
    const rest = typeof owner === 'string' ? { owner } : {};
    const transaction = wallet.operate('alice', operation, rest);
    const before = JSON.stringify(other.state.records('validators'), decimal);
    const height = other.economy.height + 2;
    const refusal = rehearseOperation(other.ports, other.state, height, transaction);
    assert.equal(JSON.stringify(other.state.records('validators'), decimal), before);
    const rehearsed = refusal === null ? 'finalized' : `${refusal.kind}: ${refusal.reason}`;
    assert.deepEqual(kindsOf(other.execute(transaction)), [rehearsed]);
    return rehearsed;
  });
  assert.equal(verdicts.filter((verdict) => verdict === 'finalized').length, 3);
});

function decimal(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

test('the owner of an operation is whom the state names', () => {
  const { chain, positionId } = setUp();
  assert.equal(operationOwner(chain.state, { type: 'withdraw', positionId }), addressOf('dora'));
  assert.deepEqual(operationOwner(chain.state, { type: 'withdraw', positionId: '0'.repeat(96) }), {
    kind: 'no_effect',
    reason: 'position_unknown',
  });
});
