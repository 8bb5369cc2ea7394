/**
 * Small runs of the schedules with twins, and rules broken on purpose that they must find. Larger runs are made by
 * main.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTRADICTIONS_ACKNOWLEDGED } from '../mutants/evidence-mutants.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import { enumerateTwins } from './enumerate.ts';
import { runSchedule } from './run-schedule.ts';
import { divisionsOf, type TwinsBounds, TwinsSchedules } from './schedule.ts';

const FOUR: TwinsBounds = { validators: 4, rounds: 2, sides: 2 };
const FIVE: TwinsBounds = { validators: 5, rounds: 1, sides: 2 };

test('every division is there once, and none differs in names alone', () => {
  const counts = [1, 2, 3, 4, 5].map((sides) => divisionsOf(5, sides).length);
  assert.deepEqual(counts, [1, 16, 41, 51, 52]);
  const pairs = divisionsOf(5, 5).map((sides) =>
    sides.flatMap((side) => sides.map((other) => Number(side === other))).join(''),
  );
  assert.equal(new Set(pairs).size, 52);
});

test('every number is a schedule of its own', () => {
  const schedules = new TwinsSchedules({ validators: 4, rounds: 1, sides: 2 });
  assert.equal(schedules.count, 256);
  const all = Array.from({ length: 256 }, (_, number) => {
    const { number: _number, ...rest } = schedules.at(number);
    return JSON.stringify(rest);
  });
  assert.equal(new Set(all).size, 256);
});

test('four validators, one of them twice: all divisions of one round, no violation', () => {
  const totals = enumerateTwins({ ...FOUR, rounds: 1 });
  assert.deepEqual(totals.failures, []);
  assert.equal(totals.ran, 256);
  assert.ok(totals.convicted > 200);
  assert.ok((totals.rounds[2] ?? 0) > 50, 'divisions that take a second round');
});

test('four and five validators, some schedules of more rounds: no violation', () => {
  const four = enumerateTwins({ ...FOUR, every: 61 });
  assert.deepEqual([four.failures, four.ran], [[], 68]);
  const five = enumerateTwins({ ...FIVE, every: 13 });
  assert.deepEqual([five.failures, five.ran], [[], 62]);
});

const KILLERS: readonly (readonly [string, TwinsBounds, number, string])[] = [
  ['noLockCheck', FOUR, 1652, 'honestVotes'],
  ['noLockSet', FOUR, 1652, 'honestVotes'],
  ['line29Dropped', FOUR, 2317, 'honestVotes'],
  ['noVoteReports', FOUR, 2156, 'evidenceCompleteness'],
  ['contradictionsAcknowledged', FOUR, 2236, 'evidenceCompleteness'],
];

for (const [name, bounds, number, checker] of KILLERS) {
  test(`mutant ${name} dies at schedule ${number}, which the unbroken protocol passes`, () => {
    const schedule = new TwinsSchedules(bounds).at(number);
    const { protocol } = mutantOf(name);
    assert.equal(runSchedule(bounds, schedule, protocol).failure?.checker, checker);
    const [first, second] = [runSchedule(bounds, schedule), runSchedule(bounds, schedule)];
    assert.equal(first.failure, undefined);
    assert.equal(first.digest, second.digest);
  });
}

function mutantOf(name: string): Mutant {
  const all = [...MUTANTS, CONTRADICTIONS_ACKNOWLEDGED];
  return all.find((mutant) => mutant.name === name) ?? assert.fail(`no mutant ${name}`);
}
