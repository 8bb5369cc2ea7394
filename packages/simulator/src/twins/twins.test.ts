/**
 * Some schedules with twins, and rules broken on purpose that they must find. `--level twins` runs all of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTRADICTIONS_ACKNOWLEDGED, MUTANTS, type Mutant } from '../mutants/mutants.ts';
import { runSchedule, scheduleCount, scheduleOf } from './twins.ts';

const FOUR = { validatorsMin: 4 };
const FIVE = { validatorsMin: 5 };

test('every number is a schedule of its own, and no other number is one', () => {
  const count = scheduleCount(4);
  assert.equal(count, 4_096);
  const all = Array.from({ length: count }, (_, at) => JSON.stringify(scheduleOf(at, FOUR)));
  assert.equal(new Set(all).size, count);
  assert.throws(() => scheduleOf(count, FOUR), /4096 schedules/);
  assert.throws(() => scheduleOf(0, { validatorsMin: 6 }), /4 or 5/);
});

test('every division into two sides is there once, and none differs in names alone', () => {
  const divisions = Array.from({ length: 16 }, (_, at) => scheduleOf(at, FOUR).divisions[0] ?? []);
  const pairs = divisions.map((sides) =>
    sides.flatMap((side) => sides.map((other) => Number(side === other))).join(''),
  );
  assert.equal(new Set(pairs).size, 16);
});

/** Schedules whose later rounds are whole. */
function ofOneRound(validators: number): number[] {
  const divisions = 2 ** validators;
  return Array.from({ length: validators * validators * divisions }, (_, at) => {
    const [first, others] = [at % divisions, Math.floor(at / divisions)];
    return first + others * divisions * divisions;
  });
}

test('four validators, one of them twice: all divisions of one round, no violation', () => {
  const found = ofOneRound(4).map((number) => runSchedule(number, FOUR));
  assert.deepEqual([...new Set(found.map(({ failure }) => failure))], [undefined]);
  assert.equal(found.length, 256);
  assert.ok(found.filter(({ convicted }) => convicted === 1).length > 200);
  assert.ok(
    found.filter(({ rounds }) => rounds === 2).length > 50,
    'divisions that take a second round',
  );
});

test('four and five validators, some schedules of more rounds: no violation', () => {
  for (let number = 0; number < scheduleCount(4); number += 61)
    assert.deepEqual([number, runSchedule(number, FOUR).failure], [number, undefined]);
  for (const [at, number] of ofOneRound(5).entries())
    if (at % 13 === 0)
      assert.deepEqual([number, runSchedule(number, FIVE).failure], [number, undefined]);
});

const KILLERS: readonly (readonly [string, number, string])[] = [
  ['noLockCheck', 1652, 'honestVotes'],
  ['noLockSet', 1652, 'honestVotes'],
  ['line29Dropped', 2317, 'honestVotes'],
  ['noVoteReports', 2156, 'evidenceCompleteness'],
  ['contradictionsAcknowledged', 2236, 'evidenceCompleteness'],
];

for (const [name, number, checker] of KILLERS) {
  test(`mutant ${name} dies at schedule ${number}, which the unbroken protocol passes`, () => {
    const { protocol } = mutantOf(name);
    assert.equal(runSchedule(number, FOUR, protocol).failure?.checker, checker);
    const [first, second] = [runSchedule(number, FOUR), runSchedule(number, FOUR)];
    assert.equal(first.failure, undefined);
    assert.equal(first.digest, second.digest);
  });
}

function mutantOf(name: string): Mutant {
  const all = [...MUTANTS, CONTRADICTIONS_ACKNOWLEDGED];
  return all.find((mutant) => mutant.name === name) ?? assert.fail(`no mutant ${name}`);
}
