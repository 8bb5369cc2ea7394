/**
 * The committee under faults: no seed breaks an invariant, and a seed always does the same.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MUTANTS, PROTOCOL, runCampaign, runSeed } from '../src/index.ts';
import { KILLERS } from './killers.ts';

const SEEDS = Number(process.env['SVC_SIMULATE_SEEDS'] ?? 10_000);
const KILLER_SEARCH_MAX = 1_500;
const SMALL = { validatorsMin: 3, validatorsMax: 10 };
const options = { failuresMax: 1, repeatEvery: 50, from: 1, seeds: SEEDS };

test(`no violation in ${SEEDS} seeds with 3 to 10 validators, and every row fires`, () => {
  const totals = runCampaign({ ...SMALL, ...options }, PROTOCOL);
  assert.deepEqual(
    totals.failures.map(({ seed, failure }) => [seed, failure]),
    [],
  );
  assert.equal(totals.seeds, SEEDS);
  assert.ok(totals.repeated >= Math.floor(SEEDS / 50));
  assert.ok(totals.crashes > SEEDS / 2);
  assert.ok(totals.equivocations > SEEDS / 2);
  assert.ok(totals.offencesProven > SEEDS / 10);
  const rare = new Set([0, 9]);
  const silent = [...totals.rowsFired.keys()].filter(
    (row) => !rare.has(row) && totals.rowsFired[row] === 0,
  );
  assert.deepEqual(silent, []);
});

test('no violation with 64 validators', () => {
  const large = { validatorsMin: 64, validatorsMax: 64 };
  const seeds = Math.max(3, Math.floor(SEEDS / 500));
  const totals = runCampaign({ ...large, ...options, seeds, repeatEvery: 3 }, PROTOCOL);
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
