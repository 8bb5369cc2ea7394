/**
 * The committee under faults: a seed always does the same, and a broken rule is found out. Files `finality-seeds-*`
 * have the many seeds that must break nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Input, recover } from 'svc-consensus/machine';
import { runCampaign } from '../src/campaign/campaign.ts';
import { runSeed } from '../src/campaign/levels.ts';
import { createCheckers } from '../src/checkers/checkers.ts';
import { MUTANTS } from '../src/mutants/mutants.ts';
import { drawPlan, type Plan } from '../src/plan/plan.ts';
import { PROTOCOL, type Protocol } from '../src/world/protocol.ts';
import { World } from '../src/world/world.ts';
import { KILLERS } from './killers.ts';
import { SILENCE_FORGOTTEN } from './rare-mutants.ts';

const KILLER_SEARCH_MAX = 1_500;
const SMALL = { validatorsMin: 3, validatorsMax: 10 };
const LARGE_SEEDS = 5;
const CHANCES_MAX = 1_000;

test('no violation with 64 validators', async () => {
  const large = { validatorsMin: 64, validatorsMax: 64 };
  const options = { failuresMax: 1, from: 1, seeds: LARGE_SEEDS, repeatEvery: 3 };
  const totals = await runCampaign({ ...large, ...options }, runSeed);
  assert.deepEqual(
    totals.failures.map(({ seed, failure }) => [seed, failure]),
    [],
  );
});

/** Tries the chances of a rare plan one after another, until the broken protocol fails; the unbroken one passes there. */
function expectBroken(plan: Plan, broken: Protocol, checker: string): void {
  const failureOf = (seed: number, protocol: Protocol) => {
    const world = new World({ ...plan, seed }, protocol, createCheckers());
    world.run();
    return world.failure;
  };
  const chances = [plan.seed, ...Array.from({ length: CHANCES_MAX }, (_, at) => at + 1)];
  const found = chances.find((seed) => failureOf(seed, broken)?.checker === checker);
  assert.ok(found !== undefined, `survived ${chances.length} chances`);
  assert.equal(
    failureOf(found, PROTOCOL),
    undefined,
    `the unbroken protocol with chances ${found}`,
  );
}

test('the same seed gives the same digest, another seed another one', () => {
  const digests = [11, 11, 12].map((seed) => runSeed(seed, SMALL).digest);
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

/** Seeds that once stood still for ever, because nobody heard the one who came back and was needed. */
for (const [seed, when] of [
  [2, 'when its minute of silence is over'],
  [1_656, 'also when it was restarted within that minute'],
] as const) {
  test(`a validator that comes back late votes ${when}: seed ${seed} of four validators`, () => {
    const four = { validatorsMin: 4, validatorsMax: 4 };
    assert.ok(drawPlan(seed, four).lateReturn !== undefined);
    assert.equal(runSeed(seed, four).failure, undefined);
  });
}

/** The two heights after the head at which a silence begins may have been signed before the record was lost. */
test('a silence lasts until final headers can tell of a second process: plan of seed 10023235', () => {
  const plan = drawPlan(10_023_235, { validatorsMin: 3, validatorsMax: 7 });
  const shorter = { ...PROTOCOL, keyRules: { ...PROTOCOL.keyRules, silentCuts: 3 } };
  expectBroken(plan, shorter, 'singleSignature');
});

test('what came to a validator that waits for its chain has reached nobody: seed 10031670', () => {
  assert.equal(runSeed(10_031_670, { validatorsMin: 3, validatorsMax: 7 }).failure, undefined);
});

test('a disk without room when the chain has moved by itself ends the process in order: seed 10238733', () => {
  const small = { validatorsMin: 3, validatorsMax: 7 };
  assert.ok(drawPlan(10_238_733, small).fullDisks.length > 0);
  assert.equal(runSeed(10_238_733, small).failure, undefined);
});

/** Here a copy of the disk was once put back while one other process alone knew how old it was, and that one crashed. */
test('an old copy of a disk meets others that all show its age: seed 10168341', () => {
  const small = { validatorsMin: 3, validatorsMax: 7 };
  assert.ok(drawPlan(10_168_341, small).restored !== undefined);
  assert.equal(runSeed(10_168_341, small).failure, undefined);
});

/** Fourteen of the forty copied disks among the first 3,000 seeds were once signed with beside the original, eight of them twice for one position. */
test('of a disk that was copied and the one that it was copied from, one signs: seeds 168, 292 and 1658', () => {
  for (const seed of [168, 292, 1_658]) {
    assert.ok(drawPlan(seed, SMALL).copied !== undefined);
    assert.deepEqual([seed, runSeed(seed, SMALL).failure], [seed, undefined]);
  }
});

test('the silence of a record that lacks a signature is kept through restarts: plan of seed 12161', () => {
  const { copied, ...plan } = drawPlan(12_161, { validatorsMin: 3, validatorsMax: 5 });
  assert.ok(copied !== undefined);
  const moved = { ...copied, originalEndsMs: 2_500 };
  const crashing = { ...plan, crashRate: 0.004, restartMsMax: 500, copied: moved };
  expectBroken(crashing, SILENCE_FORGOTTEN.protocol, 'oneProcess');
});

/** A needed validator's clock was ten minutes behind when it began to wait, and was set right. */
test('a clock that is set right starts the height that waits for it: plan of seed 10290450', () => {
  const plan = drawPlan(10_290_450, { validatorsMin: 3, validatorsMax: 7 });
  expectBroken(plan, { ...PROTOCOL, startLookMillis: 60_000 }, 'pace');
});

/**
 * The height stood still: a record that a cut is valid survived a crash, and the cut did not. The validator voted without it,
 * got the cut again, crashed once more, and its log then told another story than its signatures.
 */
test('a log that was played without a cut is always played without it: seed 10532642', () => {
  const small = { validatorsMin: 3, validatorsMax: 7 };
  assert.equal(runSeed(10_532_642, small).failure, undefined);
  const forgetful: Protocol = {
    ...PROTOCOL,
    recover: (source, rules) => recover({ ...source, log: source.log.filter(isFinal) }, rules),
  };
  assert.equal(runSeed(10_532_642, small, forgetful).failure?.checker, 'liveness');
});

/** Whether a record is none that something was left out. */
function isFinal(input: Input): boolean {
  return input.type !== 'verdict' || input.verdict !== 'unknown';
}

/** As in seed 10582961: two validators reach each other through a third one and a liar, whose votes the third one never hears. */
test('halves of an offence meet though those who have them are no neighbours', () => {
  const calm = [
    'partition',
    'staleTwin',
    'restoredBackup',
    'fullDisk',
    'lateReturn',
    'clock',
  ] as const;
  const without = new Set([...calm, 'stakeChange', 'slowMinority'] as const);
  for (const seed of [36, 86, 90, 127, 158, 208]) {
    const plan = {
      ...drawPlan(seed, { validatorsMin: 4, validatorsMax: 4, without }),
      stakes: [[1n, 1n, 1n, 1n]],
      unrouted: new Set([0, 3]),
      byzantine: new Map([[1, 'falseValidRound'] as const]),
    };
    const world = new World(plan, PROTOCOL, createCheckers());
    world.passes = (from, to, { kind }) =>
      from.index !== 1 || to.index !== 2 || kind === 'proposalWithCut';
    world.run();
    assert.deepEqual([seed, world.failure], [seed, undefined]);
  }
});

test('so do two proposals, though nobody wants a proposal without its cut otherwise: seed 10717837', () => {
  assert.equal(runSeed(10_717_837, { validatorsMin: 3, validatorsMax: 7 }).failure, undefined);
});

test('only a minority that stays slow shows that later rounds have to wait longer', () => {
  const seed = KILLERS['roundsStayShort'] ?? assert.fail('no seed');
  const mutant = MUTANTS.find(({ name }) => name === 'roundsStayShort');
  assert.ok(drawPlan(seed, SMALL).staysSlow);
  const without = new Set(['slowMinority'] as const);
  assert.equal(runSeed(seed, { ...SMALL, without }, mutant?.protocol).failure, undefined);
});

/** Own messages are kept by nobody, and were new each time; a certificate with one of them cost all its signatures. */
test('what a liar repeats costs no second check: liars of seeds 1, 3 and 5 show again what they have heard', () => {
  for (const seed of [1, 3, 5]) {
    const plan = drawPlan(seed, SMALL);
    const byzantine = new Map(
      [...plan.byzantine.keys()].map((index) => [index, 'replayer'] as const),
    );
    assert.ok(byzantine.size > 0);
    const world = new World({ ...plan, byzantine }, PROTOCOL, createCheckers());
    world.run();
    assert.deepEqual([seed, world.failure], [seed, undefined]);
  }
});

for (const mutant of MUTANTS) {
  test(`mutant ${mutant.name} dies: ${mutant.breaks}`, () => {
    const killer = KILLERS[mutant.name];
    assert.ok(killer !== undefined, 'a seed that kills it is recorded');
    const seeds = [killer, ...Array.from({ length: KILLER_SEARCH_MAX }, (_, at) => at + 1)];
    const found = seeds.find((seed) => runSeed(seed, SMALL, mutant.protocol).failure !== undefined);
    assert.ok(found !== undefined, `survived ${seeds.length} seeds`);
    assert.equal(found, killer, 'the recorded seed kills it no longer, the found one does');
    assert.equal(runSeed(found, SMALL).failure, undefined, 'the unbroken protocol passes the seed');
  });
}
