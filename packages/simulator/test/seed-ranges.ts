/**
 * Many seeds as tests, in parts: each part is a file, and files run in processes of their own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROWS } from 'svc-consensus/machine';
import { runCampaign } from '../src/campaign/campaign.ts';
import { runNodeSeed, runSeed } from '../src/campaign/levels.ts';

const FINALITY_SEEDS = Number(process.env['SVC_SIMULATE_SEEDS'] ?? 4_000);
const FINALITY_PARTS = 4;
/** The most validators of each part: small committees are quick, and their quorums leave the least room. */
const VALIDATORS_MAX = [10, 6, 6, 6] as const;
const NODE_SEEDS = Number(process.env['SVC_SIMULATE_NODE_SEEDS'] ?? 150);
const NODE_PARTS = 3;
/** A part may not meet it; `rows.test.ts` has a seed that does. */
const RARE_ROW = 9;

interface SeedRange {
  readonly from: number;
  readonly seeds: number;
}

function rangeOf(part: number, parts: number, total: number): SeedRange {
  const seeds = Math.ceil(total / parts);
  return { from: 1 + (part - 1) * seeds, seeds };
}

function nameOf({ from, seeds }: SeedRange): string {
  return `seeds ${from} to ${from + seeds - 1}`;
}

/** One of the four parts of the seeds of level finality. */
export function testFinalitySeeds(part: number): void {
  const range = rangeOf(part, FINALITY_PARTS, FINALITY_SEEDS);
  const validatorsMax = VALIDATORS_MAX[part - 1] ?? 10;
  test(`no violation in ${nameOf(range)} with 3 to ${validatorsMax} validators, and every row fires`, async () => {
    const options = { validatorsMin: 3, validatorsMax, failuresMax: 1, repeatEvery: 50 };
    const totals = await runCampaign({ ...options, ...range }, runSeed);
    const { seeds } = range;
    assert.deepEqual(
      totals.failures.map(({ seed, failure }) => [seed, failure]),
      [],
    );
    assert.equal(totals.seeds, seeds);
    assert.ok(totals.repeated >= Math.floor(seeds / 50));
    assert.ok(totals.counts.crashes > seeds / 2);
    assert.ok(totals.counts.equivocations > seeds / 2);
    assert.ok(totals.counts.offencesProven > seeds / 10);
    const silent = ROWS.filter((row) => row !== RARE_ROW && totals.rowsFired[row] === 0);
    assert.deepEqual(silent, []);
  });
}

/** One of the three parts of the seeds of level node; the kernel must be loaded. */
export function testNodeSeeds(part: number): void {
  const range = rangeOf(part, NODE_PARTS, NODE_SEEDS);
  test(`no violation in ${nameOf(range)} of whole nodes, four of them`, async () => {
    const options = { validatorsMin: 4, validatorsMax: 4, failuresMax: 1, repeatEvery: 50 };
    const totals = await runCampaign({ ...options, ...range }, runNodeSeed);
    const { seeds } = range;
    assert.deepEqual(
      totals.failures.map(({ seed, failure }) => [seed, failure]),
      [],
    );
    assert.equal(totals.seeds, seeds);
    assert.ok(totals.counts.heights >= 3 * seeds);
    assert.ok(totals.counts.crashes > seeds / 2);
    assert.ok(totals.counts.powerCuts > seeds / 10);
    assert.ok(totals.counts.blocksMined > seeds);
  });
}
