/**
 * The pace over many cuts: slow ones, outages, and what the chain makes of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dueAt,
  height,
  isTimeAllowed,
  type Pace,
  paceAfter,
  startAt,
  TIMING,
} from '../../../src/machine/index.ts';

const BASE: Pace = { baseMs: 1_700_000_000_000n };

interface Run {
  readonly times: readonly bigint[];
  readonly pace: Pace;
}

/** Cut h is stated `delays[h - 1]` after the earliest moment it may be. */
function run(delays: readonly number[]): Run {
  let pace = BASE;
  let time = pace.baseMs;
  const times: bigint[] = [];
  for (const [index, delay] of delays.entries()) {
    const at = height(index + 1);
    const start = startAt(TIMING, pace, at, time);
    const next = start + BigInt(delay);
    assert.ok(isTimeAllowed(TIMING, pace, at, time, next));
    time = next;
    pace = paceAfter(TIMING, pace, at, time);
    times.push(time);
  }
  return { times, pace };
}

const quiet = (cuts: number) => new Array<number>(cuts).fill(0);

test('after any slow cuts within the limit, the mean since the start is exactly 2,500 ms again', () => {
  const slow = fc.array(fc.integer({ min: 0, max: 8_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(slow, (delays) => {
      // A debt of 8 s for each slow cut is repaid by 1.5 s with each quiet one.
      const cuts = delays.length * 7 + 1;
      const { times, pace } = run([...delays, ...quiet(cuts - delays.length)]);
      assert.equal(pace, BASE);
      assert.equal((times[cuts - 1] as bigint) - BASE.baseMs, 2500n * BigInt(cuts));
    }),
    { numRuns: 200 },
  );
});

test('cuts are never closer than 1,000 ms, and never due later than without any delay', () => {
  const delays = fc.array(fc.integer({ min: 0, max: 900_000 }), { minLength: 2, maxLength: 80 });
  fc.assert(
    fc.property(delays, (each) => {
      const { times, pace } = run(each);
      times.slice(1).forEach((time, index) => {
        assert.ok(time - (times[index] as bigint) >= TIMING.gapMs);
      });
      const last = height(times.length);
      const debt = (times[times.length - 1] as bigint) - dueAt(TIMING, pace, last);
      assert.ok(debt >= 0n && debt <= TIMING.debtMsMax);
    }),
    { numRuns: 200 },
  );
});

test('an outage of two hours is made up for ten minutes of it, and no more', () => {
  const outageMs = 7_200_000;
  const { times, pace } = run([0, 0, outageMs, ...quiet(1000)]);
  const end = times[times.length - 1] as bigint;
  const forgiven = BigInt(outageMs) - TIMING.debtMsMax;
  assert.equal(pace.baseMs - BASE.baseMs, forgiven);
  assert.equal(end - BASE.baseMs, 2500n * BigInt(times.length) + forgiven);
  const gaps = times.slice(3).map((time, index) => time - (times[index + 2] as bigint));
  const hurried = gaps.filter((gap) => gap === TIMING.gapMs).length;
  assert.equal(hurried, 400, '600 s of debt at 1.5 s a cut');
  assert.ok(gaps.slice(hurried).every((gap) => gap === TIMING.paceMs));
});
