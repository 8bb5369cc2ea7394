import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIMING } from '../base/timing.ts';
import { height, round } from '../base/types.ts';
import { isTimeAllowed, isTimely, proposedTime } from './cut-time.ts';
import { dueAt, paceAfter, startAt } from './pace.ts';

const pace = { baseMs: 1_000_000n };

test('cuts are due every 2,500 ms from the base', () => {
  assert.equal(dueAt(TIMING, pace, height(0)), 1_000_000n);
  assert.equal(dueAt(TIMING, pace, height(4)), 1_010_000n);
});

const STARTS: readonly [string, bigint, bigint][] = [
  ['on time', 1_007_500n, 1_010_000n],
  ['a little late', 1_009_000n, 1_010_000n],
  ['late: the gap rules', 1_009_500n, 1_010_500n],
  ['very late', 1_050_000n, 1_051_000n],
];
for (const [description, previousTime, start] of STARTS)
  test(`height 4 after a cut that was ${description} starts at ${start}`, () => {
    assert.equal(startAt(TIMING, pace, height(4), previousTime), start);
    assert.equal(isTimeAllowed(TIMING, pace, height(4), previousTime, start), true);
    assert.equal(isTimeAllowed(TIMING, pace, height(4), previousTime, start - 1n), false);
  });

test('a debt is repaid at the gap and then the pace is exact', () => {
  let time = 1_000_000n + 60_000n;
  const times: bigint[] = [];
  for (let at = 1; at <= 60; at++) {
    time = startAt(TIMING, pace, height(at), time);
    times.push(time);
  }
  assert.equal(times[0], 1_061_000n);
  assert.equal(times[59], dueAt(TIMING, pace, height(60)));
  assert.equal(times[58], dueAt(TIMING, pace, height(59)));
});

test('debt up to the limit moves nothing, and beyond it is forgiven to the millisecond', () => {
  const due = dueAt(TIMING, pace, height(7));
  assert.equal(paceAfter(TIMING, pace, height(7), due + 600_000n), pace);
  assert.deepEqual(paceAfter(TIMING, pace, height(7), due + 600_001n), { baseMs: 1_000_001n });
  const after = paceAfter(TIMING, pace, height(7), due + 9_000_000n);
  assert.equal(due + 9_000_000n - dueAt(TIMING, after, height(7)), 600_000n);
});

const TIMELY: readonly [number, bigint, boolean][] = [
  [0, 500n, true],
  [0, 501n, false],
  [0, -2500n, true],
  [0, -2501n, false],
  [3, -5500n, true],
  [3, -5501n, false],
  [1, 1_500n, true],
  [1, 1_501n, false],
  [4, 4_500n, true],
  [5, 5_000n, true],
  [5, 5_001n, false],
  [1_000, 5_001n, false],
  [1_000, -1_002_500n, true],
];
for (const [at, offset, timely] of TIMELY)
  test(`round ${at}: a time ${offset} ms from the local clock is ${timely ? '' : 'not '}timely`, () => {
    assert.equal(isTimely(TIMING, round(at), 1_000_000n + offset, 1_000_000n), timely);
  });

test('an honest proposer states its clock, but never a time before the start', () => {
  assert.equal(proposedTime(TIMING, pace, height(4), 1_007_500n, 1_010_200n), 1_010_200n);
  assert.equal(proposedTime(TIMING, pace, height(4), 1_007_500n, 1_000_000n), 1_010_000n);
});
