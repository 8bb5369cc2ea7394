/**
 * Runs over the stake of a network against a second set of books, and the proof that they notice what they are made for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STAKE_MUTANTS } from './stake/mutants.ts';
import { type RunResult, runLarge, runSmall } from './stake/runs.ts';
import { importMutated } from './testing/mutated.ts';

const SEEDS = Number(process.env['SVC_STAKE_SEEDS'] ?? 14);
const results = new Map<number, RunResult>();
const POSITIONS = Number(process.env['SVC_STAKE_POSITIONS'] ?? 2_000);

/** The result of a seed, which is run once. */
function resultOf(seed: number): RunResult {
  const result = results.get(seed) ?? runSmall(seed);
  results.set(seed, result);
  return result;
}

test(`every position that earned is paid, to the atom, in ${SEEDS} runs with splitters and slashes`, () => {
  const runs = Array.from({ length: SEEDS }, (_, index) => resultOf(index + 1));
  assert.deepEqual(
    runs.map(({ failure }) => failure?.message).filter((message) => message !== undefined),
    [],
  );
  for (const name of Object.keys(runs[0]?.counts ?? {}) as 'paid'[]) {
    const count = runs.reduce((sum, { counts }) => sum + counts[name], 0);
    assert.ok(count > 0, `never: ${name}`);
  }
});

/** The first seeds that showed these two holes, while the rules had them. */
test('the seeds that found unpaid positions and a removal of unbounded work pass', () => {
  for (const seed of [11, 13]) assert.equal(resultOf(seed).failure, undefined, `seed ${seed}`);
});

test(`${POSITIONS} positions with slashes, exits and partial unstakes are paid as the book says`, () => {
  const { failure, counts } = runLarge(2, POSITIONS);
  assert.equal(failure, undefined);
  assert.ok(counts.positionsMost >= 0.9 * POSITIONS, `${counts.positionsMost} positions`);
  assert.ok(counts.removed > 0 && counts.exited > 0);
  assert.ok(counts.unbonded > 0 && counts.withdrawn > 0);
  assert.ok(counts.paid > POSITIONS);
});

for (const mutant of STAKE_MUTANTS) {
  test(`mutant ${mutant.name} dies: ${mutant.breaks}`, async () => {
    const runs = await importMutated<typeof import('./stake/runs.ts')>(mutant, 'stake/runs.ts');
    const { failure } = runs.runSmall(mutant.seed);
    assert.equal(failure?.checker, mutant.checker, failure?.message ?? 'nothing was noticed');
    assert.equal(resultOf(mutant.seed).failure, undefined, 'the unbroken rules pass the seed');
  });
}
