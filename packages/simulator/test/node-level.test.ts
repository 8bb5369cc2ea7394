/**
 * Whole nodes under faults: chain, block pool, real bytes and real signatures under one seed. Files `node-seeds-*` have
 * the many seeds that must break nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { decodeCutHeader } from 'svc-wasm/protocol';
import type { Failure } from '../src/base/failure.ts';
import { type NodeSeedResult, runNodeSeed } from '../src/campaign/levels.ts';
import { SimulatedNetwork } from '../src/full/full-world.ts';
import { NODE_MUTANTS, type NodeRules } from '../src/full/node-rules.ts';
import { drawNodePlan } from '../src/plan/node-plan.ts';
import type { PlanOptions } from '../src/plan/plan.ts';
import { NODE_HUNTS, type NodeHunt } from './killers.ts';

const HUNT_SEEDS = 1_000;
/** Payments are executed in it, whose signatures are in the bytes of blocks. */
const SIGNING_SEED = 13;
const COMMITTEE = { validatorsMin: 4, validatorsMax: 4 };

await init();

test('the same seed gives the same digest, another seed another one', async () => {
  const digests: string[] = [];
  for (const seed of [3, 3, 4]) digests.push((await runNodeSeed(seed, COMMITTEE)).digest);
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

test('a seed with peers, whose payments are signed, gives the same digest too', async () => {
  assert.ok(drawNodePlan(SIGNING_SEED, COMMITTEE).peers !== undefined);
  const first = await runNodeSeed(SIGNING_SEED, COMMITTEE);
  assert.equal((await runNodeSeed(SIGNING_SEED, COMMITTEE)).digest, first.digest);
});

test('blocks that miners find are registered, in the same cuts of every node', async () => {
  const world = new SimulatedNetwork({ ...drawNodePlan(1, COMMITTEE), livenessHeights: 6 });
  await world.run();
  assert.equal(world.failure, undefined);
  const height = world.lowestHeight;
  const chains = new Set<string>();
  for (const { chain } of world.nodes) {
    const reader = chain.reader();
    const counts: number[] = [];
    for (let at = 1; at <= height; at++) {
      const { header } = (await reader.cut(at)) ?? assert.fail(`no cut ${at}`);
      counts.push(decodeCutHeader(header).registeredCount);
    }
    await reader.close();
    assert.ok(counts.some((count) => count > 0));
    chains.add(counts.join());
  }
  assert.equal(chains.size, 1);
  await world.close();
});

/** A validator lost its disk, began a silence, restarted, and was shown a vote of before the loss. */
test('a restart during a silence lets own votes of before it stop no key: seed 1019672', async () => {
  const { failure } = await runNodeSeed(1_019_672, COMMITTEE);
  assert.equal(failure, undefined);
});

test('a node that was behind gets the blocks that it missed, whatever peers claim: seed 2003338', async () => {
  const { failure } = await runNodeSeed(2_003_338, COMMITTEE);
  assert.equal(failure, undefined);
});

test('a validator that restarts among liars fetches cuts from honest peers: seed 2005069', async () => {
  const { failure } = await runNodeSeed(2_005_069, COMMITTEE);
  assert.equal(failure, undefined);
});

test('a fetched block is accepted from a peer that answers after more than a second: seed 2010197', async () => {
  const { failure } = await runNodeSeed(2_010_197, COMMITTEE);
  assert.equal(failure, undefined);
});

test('control: a node that decides another cut is found out', async () => {
  const world = new SimulatedNetwork(drawNodePlan(1, COMMITTEE));
  const [first, second] = world.nodes;
  assert.ok(first !== undefined && second !== undefined);
  for (const node of world.nodes) await node.start();
  world.onFinalized(first, 1, 'a', 'root');
  world.onFinalized(second, 1, 'b', 'root');
  assert.equal(world.failure?.checker, 'agreement');
  await world.close();
});

for (const { name, breaks, rules } of NODE_MUTANTS) {
  test(`mutant ${name} dies: ${breaks}`, async () => {
    const hunt = NODE_HUNTS[name];
    assert.ok(hunt !== undefined, 'a seed that kills it is recorded');
    const { options } = hunt;
    const killer = await killerOf(hunt, rules);
    assert.ok(killer !== undefined, `survived ${HUNT_SEEDS} seeds`);
    assert.equal(killer, hunt.seed, 'the recorded seed kills it no longer, the found one does');
    const failure = await failureOfUnbroken(killer, options);
    assert.equal(failure, undefined, 'the unbroken node passes the seed');
  });
}

const unbroken = new Map<PlanOptions, Map<number, Promise<NodeSeedResult>>>();

/** Several mutants die of one seed; it is run once for all of them. */
async function failureOfUnbroken(seed: number, options: PlanOptions): Promise<Failure | undefined> {
  const known = unbroken.get(options) ?? new Map<number, Promise<NodeSeedResult>>();
  unbroken.set(options, known);
  const result = known.get(seed) ?? runNodeSeed(seed, options);
  known.set(seed, result);
  return (await result).failure;
}

/** The recorded seed, or the one to record where what happens to a seed has changed since. */
async function killerOf(hunt: NodeHunt, rules: NodeRules): Promise<number | undefined> {
  const { seed: recorded, options, checker, isPromising } = hunt;
  const others = Array.from({ length: HUNT_SEEDS }, (_, at) => at + 1);
  const promising = others.filter((seed) => isPromising(drawNodePlan(seed, options)));
  for (const seed of [recorded, ...promising]) {
    const { failure } = await runNodeSeed(seed, options, rules);
    if (failure?.checker === checker) return seed;
  }
  return undefined;
}
