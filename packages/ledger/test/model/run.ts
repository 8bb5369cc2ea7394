/**
 * Drives the ledger and the reference model with the same cuts and compares them after each one.
 */
import assert from 'node:assert/strict';
import { checkCut } from '../../src/check-cut.ts';
import type { CutInput, CutResult } from '../../src/cut.ts';
import { unbondingOf } from '../../src/rules/positions.ts';
import { addressOf, COIN, TestChain, type TestTrees, testGenesis } from '../testing/test-chain.ts';
import { Actor, type CutDrawing } from './actions.ts';
import { ReferenceModel } from './reference-model.ts';
import { sum } from './world.ts';

const VALIDATORS = [
  { name: 'alice', amount: 300_000n * COIN, commissionBps: 500 },
  { name: 'bruno', amount: 200_000n * COIN, commissionBps: 1_000 },
  { name: 'chloe', amount: 100_000n * COIN, commissionBps: 0 },
];

/** How often things happened: outcomes by operation, payouts, validators that came and went. */
export type Coverage = Map<string, number>;

function cover(coverage: Coverage, { events }: CutResult, input: CutInput): void {
  const count = (name: string): void => {
    coverage.set(name, (coverage.get(name) ?? 0) + 1);
  };
  const transactions = input.executed.flatMap((block) => block.transactions);
  events.outcomes.forEach(({ kind }, index) => {
    count(kind);
    count(`${transactions[index]?.operation?.type ?? 'payment'} ${kind}`);
  });
  for (const { type } of events.validators) count(type);
  for (const { positionKind } of events.stakePayouts) count(`paid ${positionKind}`);
  for (const { cause } of events.burns) count(`burned by ${cause}`);
  for (const { amount } of events.rewards) count(amount > 0n ? 'reward' : 'empty reward');
  count('cuts');
}

function start(interval: number, trees?: TestTrees): { chain: TestChain; model: ReferenceModel } {
  const terms = { interval, minFeePerMass: 10n, positionMin: 100n * COIN };
  const chain = new TestChain(VALIDATORS, terms, trees);
  const model = new ReferenceModel(interval, chain.genesis.chainId);
  const { world } = model;
  for (const [key, { address, amount }] of chain.state.records('outputs')) {
    world.coins.push({ key, owner: address, amount });
  }
  for (const [index, { name, amount }] of VALIDATORS.entries()) {
    const owner = addressOf(name);
    const [id, record] = chain.state
      .records('validators')
      .find(([, { ownerAddress }]) => ownerAddress === owner) as [
      string,
      { selfBondId: string; consensusKey: { keyHash: string } },
    ];
    const { commissionBps } = testGenesis(VALIDATORS).validators[index] as {
      commissionBps: number;
    };
    world.keys.add(record.consensusKey.keyHash);
    world.validators.push({
      id,
      owner,
      own: record.selfBondId,
      firstEpoch: 0,
      registered: 0,
      keys: [{ hash: record.consensusKey.keyHash, from: 0 }],
      endpoints: [{ length: 1, from: 0 }],
      commissions: [{ bps: commissionBps, from: 0 }],
      heartbeats: [],
      jailedIn: [],
      leftAt: null,
      punished: false,
    });
    const reward = addressOf(`${name} rewards`);
    world.stakes.push({
      id: record.selfBondId,
      validator: id,
      owner,
      reward,
      own: true,
      bonded: amount,
      leaving: [],
    });
  }
  model.beginEpoch(0);
  return { chain, model };
}

export interface ModelRun {
  readonly interval: number;
  readonly cuts: number;
  readonly coverage: Coverage;
  readonly trees?: TestTrees;
}

/** Runs the drawings over and over, each time on the state that they left, until enough cuts are made. */
export function runModel(
  drawings: readonly CutDrawing[],
  { interval, cuts, coverage, trees }: ModelRun,
): TestChain {
  const { chain, model } = start(interval, trees);
  const actor = new Actor(chain, (id, signers) => {
    chain.signatures.sign(id, signers);
    model.sign(id, signers);
  });
  for (let cut = 0; cut < cuts; cut++) {
    const drawing = drawings[cut % Math.max(drawings.length, 1)];
    if (drawing !== undefined) step(chain, model, actor, drawing);
    const [result, input] = [chain.results.at(-1), chain.inputs.at(-1)];
    if (result !== undefined && input !== undefined) cover(coverage, result, input);
  }
  return chain;
}

function step(chain: TestChain, model: ReferenceModel, actor: Actor, drawing: CutDrawing): void {
  actor.beginCut();
  const height = chain.height + 1;
  const suspects = chain.state
    .records('validators')
    .filter(([, { status }]) => status !== 'removed');
  const suspect = suspects[drawing.evidence - 1]?.[0];
  const input = chain.input({
    blocks: drawing.blocks
      .map(({ age, payout, actions }) => ({
        anchor: height - 1 - age,
        payout: `miner ${payout}`,
        transactions: distinct(actions.flatMap((action) => actor.transactionFor(action) ?? [])),
      }))
      .filter(({ anchor }) => anchor >= 0),
    evidence:
      suspect === undefined ? [] : [{ validatorId: suspect, height: Math.max(1, height - 7) }],
    signers: chain.allSigners & ~BigInt(drawing.absent),
  });
  assert.equal(checkCut(chain.parameters, chain.state, input), null);
  const result = chain.apply(input);
  model.cut(input);
  assert.deepEqual(
    result.events.outcomes.map(({ kind }) => kind),
    model.outcomes,
    `outcomes of cut ${height}`,
  );
  assert.deepEqual(
    result.events.rewards.map(({ amount }) => amount),
    model.rewards,
    `rewards of cut ${height}`,
  );
  compareTotals(chain, model);
  compareStake(chain, model);
  if (height % 8 === 0) compareCoins(chain, model);
}

function distinct<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return items.filter(({ id }, index) => items.findIndex((item) => item.id === id) === index);
}

function compareTotals({ economy }: TestChain, { world }: ReferenceModel): void {
  const leaving = world.stakes.flatMap((stake) => stake.leaving.map(({ amount }) => amount));
  const { minted, burned, outputs, bonded, unbonding, workReserve, stakeReserve } = economy;
  const expected = {
    minted: world.minted,
    burned: sum(world.burned),
    outputs: sum(world.coins.map(({ amount }) => amount)),
    bonded: sum(world.stakes.map((stake) => stake.bonded)),
    unbonding: sum(leaving),
    workReserve: sum(world.workIn) - sum(world.workOut),
    stakeReserve: sum(world.stakeIn.map(({ amount }) => amount)) - sum(world.stakeOut),
  };
  assert.deepEqual(
    { minted, burned, outputs, bonded, unbonding, workReserve, stakeReserve },
    expected,
  );
  const held = outputs + bonded + unbonding + workReserve + stakeReserve + burned;
  assert.equal(held, minted, 'the value equation');
  for (const amount of Object.values(expected)) assert.ok(amount >= 0n);
}

function compareStake(chain: TestChain, { world }: ReferenceModel): void {
  const positions = chain.state.records('positions').map(([id, position]) => {
    const validator = chain.state.get('validators', position.validatorId);
    assert.ok(validator !== undefined, 'a position outlived its validator');
    const leaving = unbondingOf(chain.parameters, position, validator);
    return {
      id,
      owner: position.ownerAddress,
      reward: position.rewardAddress,
      bonded: validator.status === 'active' ? position.bonded : 0n,
      leaving: leaving.map(({ amount, releaseHeight }) => [
        amount,
        releaseHeight - 10 * chain.parameters.interval,
      ]),
    };
  });
  const expected = [...world.stakes]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, owner, reward, bonded, leaving }) => ({
      id,
      owner,
      reward,
      bonded,
      leaving: leaving.map(({ amount, since }) => [amount, since]),
    }));
  assert.deepEqual(positions, expected);
  assert.deepEqual(
    chain.epoch.members.map(({ validatorId, stake, commissionBps }) => [
      validatorId,
      stake,
      commissionBps,
    ]),
    world.standing.committee.map(({ id, stake, bps }) => [id, stake, bps]),
    'the committee',
  );
}

function compareCoins(chain: TestChain, { world }: ReferenceModel): void {
  const coins = chain.state
    .records('outputs')
    .map(([key, { address, amount }]) => ({ key, owner: address, amount }));
  assert.deepEqual(
    coins,
    [...world.coins].sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
  assert.deepEqual(new Set(chain.state.keys('keys')), world.keys);
}
