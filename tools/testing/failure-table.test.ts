import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureTable } from './failure-table.ts';
import type { TestsRun } from './run-tests.ts';
import type { Outcome } from './test-record.ts';

function run(status: number, outcomes: Readonly<Record<string, Outcome>>): TestsRun {
  const ended = Object.entries(outcomes).map(([name, outcome]) => ({
    ...{ file: 'a.test.ts', name, nesting: 0, millis: 1 },
    outcome,
  }));
  return { status, ended, brokenOff: [], processor: new Map() };
}

test('failures are counted by test over the rounds, the most frequent first', () => {
  const broken: TestsRun = {
    ...run(1, { one: 'passed' }),
    brokenOff: [{ file: 'a.test.ts', name: 'two', nesting: 0 }],
  };
  const runs = [
    run(0, { one: 'passed', two: 'passed over' }),
    run(1, { one: 'FAILED', two: 'passed' }),
    run(1, { one: 'FAILED', two: 'FAILED' }),
    broken,
    run(1, { one: 'passed', two: 'passed' }),
  ];
  assert.deepEqual(failureTable(runs).trim().split('\n'), [
    '── 1 of 5 rounds passed',
    '    2  a.test.ts: one',
    '    1  a.test.ts: two',
    '    1  a.test.ts: two (broken off)',
    '    1  no test, but a process: see its output',
  ]);
});
