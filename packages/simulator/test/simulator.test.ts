/**
 * The committee under faults: a seed always does the same, and a broken rule is found out. Files `finality-seeds-*`
 * have the many seeds that must break nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MUTANTS, PROTOCOL, runCampaign, runSeed } from '../src/index.ts';
import { KILLERS } from './killers.ts';

const KILLER_SEARCH_MAX = 1_500;
const SMALL = { validatorsMin: 3, validatorsMax: 10 };
const LARGE_SEEDS = 5;

test('no violation with 64 validators', () => {
  const large = { validatorsMin: 64, validatorsMax: 64 };
  const options = { failuresMax: 1, from: 1, seeds: LARGE_SEEDS, repeatEvery: 3 };
  const totals = runCampaign({ ...large, ...options }, PROTOCOL);
  assert.deepEqual(
    totals.failures.map(({ seed, failure }) => [seed, failure]),
    [],
  );
});

test('the same seed gives the same digest, another seed another one', () => {
  const digests = [11, 11, 12].map((seed) => runSeed(seed, SMALL).digest);
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

for (const mutant of MUTANTS) {
  test(`mutant ${mutant.name} dies: ${mutant.breaks}`, () => {
    const killer = KILLERS[mutant.name];
    assert.ok(killer !== undefined, 'a seed that kills it is recorded');
    const seeds = [killer, ...Array.from({ length: KILLER_SEARCH_MAX }, (_, at) => at + 1)];
    const found = seeds.find((seed) => runSeed(seed, SMALL, mutant.protocol).failure !== undefined);
    assert.ok(found !== undefined, `survived ${seeds.length} seeds`);
    assert.equal(runSeed(found, SMALL).failure, undefined, 'the unbroken protocol passes the seed');
  });
}
