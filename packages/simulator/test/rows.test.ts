/**
 * Every row of the transition table fires in the simulator: in some of the first hundred seeds or, for the rarest row, in
 * the seed that finds out when that row is missing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROWS } from 'svc-consensus/machine';
import { runCampaign } from '../src/campaign/campaign.ts';
import { runSeed } from '../src/campaign/levels.ts';
import { KILLERS } from './killers.ts';

const SEEDS = 100;
const SMALL = { validatorsMin: 3, validatorsMax: 10 };

/** The mutant prevotes in spite of a later lock: up to there its seed runs as without it, and row 9 refuses instead. */
function seedOfRow9(): number {
  return KILLERS['line29Dropped'] ?? assert.fail('no seed');
}

test('every row of the table fires in the simulator, also the refusal of a value that others propose again', async () => {
  const campaign = { ...SMALL, from: 1, seeds: SEEDS, failuresMax: 1, repeatEvery: SEEDS + 1 };
  const { rowsFired, failures } = await runCampaign(campaign, runSeed);
  assert.deepEqual(failures, []);
  const rare = runSeed(seedOfRow9(), SMALL);
  assert.equal(rare.failure, undefined);
  assert.ok((rare.rowsFired[9] as number) > 0);
  const silent = ROWS.filter(
    (row) => (rowsFired[row] as number) + (rare.rowsFired[row] as number) === 0,
  );
  assert.deepEqual(silent, []);
});
