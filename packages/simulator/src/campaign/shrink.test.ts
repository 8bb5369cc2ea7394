import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MUTANTS } from '../mutants/mutants.ts';
import type { PlanOptions } from '../plan/plan.ts';
import { PROTOCOL } from '../world/protocol.ts';
import type { SeedRunner } from './campaign.ts';
import { runSeed, type SeedResult } from './levels.ts';
import { replayCommand, shrink } from './shrink.ts';

const options = { validatorsMin: 4, validatorsMax: 7 };
const protocol = MUTANTS.find(({ name }) => name === 'bitmapNotChecked')?.protocol ?? PROTOCOL;

const broken = (seed: number, given: PlanOptions) => runSeed(seed, given, protocol);

test('a failing seed is made smaller and still fails in the same way', async () => {
  let seed = 1;
  while (runSeed(seed, options, protocol).failure === undefined) seed += 1;
  const before = runSeed(seed, options, protocol).failure;
  const smallest = await shrink(seed, options, broken);
  const after = runSeed(seed, smallest, protocol).failure;
  assert.equal(after?.checker, before?.checker);
  assert.ok((smallest.without?.size ?? 0) > 0, 'some faults did not matter');
  assert.equal(smallest.without?.has('byzantine'), false, 'the liar does');
  assert.match(
    replayCommand(seed, smallest, 'bitmapNotChecked'),
    /--seed \d+ .*--without .*--mutant/,
  );
});

test('changes of the committee are dropped where the failure does not need them', async () => {
  const failure = { checker: 'agreement', detail: '', atMs: 100 };
  const passed = runSeed(1, { validatorsMin: 3, validatorsMax: 3 });
  const run: SeedRunner<SeedResult> = (_seed, { without }) =>
    without?.has('byzantine') === true ? passed : { ...passed, failure };
  const always = new Set(['changes'] as const);
  const smallest = await shrink(1, { ...options, always }, run);
  assert.deepEqual([...(smallest.always ?? [])], []);
  assert.equal(smallest.without?.has('changes'), true);
});

test('a seed that passes is left alone', async () => {
  assert.equal(await shrink(1, options, runSeed), options);
});
