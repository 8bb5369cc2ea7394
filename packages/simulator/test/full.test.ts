/**
 * Full nodes under faults: the chain of a node, real bytes and real signatures under one seed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { SimulatedNetwork } from '../src/full/full-world.ts';
import { drawNodePlan, runNodeSeed } from '../src/full/run-node-seed.ts';

const SEEDS = Number(process.env['SVC_SIMULATE_NODE_SEEDS'] ?? 30);
const COMMITTEE = { validatorsMin: 4, validatorsMax: 4 };

await init();

test(`no violation in ${SEEDS} seeds of full nodes`, async () => {
  const totals = { heights: 0, crashes: 0, blocks: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failure, heights, crashes, blocksMined } = await runNodeSeed(seed, COMMITTEE);
    assert.deepEqual([seed, failure], [seed, undefined]);
    totals.heights += heights;
    totals.crashes += crashes;
    totals.blocks += blocksMined;
  }
  assert.ok(totals.heights >= 3 * SEEDS);
  assert.ok(totals.crashes > SEEDS / 4);
  assert.ok(totals.blocks > SEEDS);
});

test('the same seed gives the same digest, another seed another one', async () => {
  const digests: string[] = [];
  for (const seed of [3, 3, 4]) digests.push((await runNodeSeed(seed, COMMITTEE)).digest);
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
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
