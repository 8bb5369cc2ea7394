import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { type ClockOffset, ClockWatch, clockOffsetOf } from './clock-watch.ts';

/** What is logged of an offset, by level and the first words. */
function toldOf(offset: ClockOffset | undefined): string[] {
  const told: string[] = [];
  const clock = new ManualClock();
  const hear = (level: string) => (_: object, message: string) => {
    told.push(`${level}: ${message.split(' ').slice(0, 3).join(' ')}`);
  };
  const log: Log = { ...SILENT_LOG, warn: hear('warn'), error: hear('error') };
  const watch = new ClockWatch(clock, log, () => offset);
  watch.start();
  clock.advance(30_000);
  watch.close();
  assert.equal(clock.pending, 0);
  return told;
}

test('a wrong clock is logged, as an error from half a second on', () => {
  for (const sign of [-1, 1]) {
    const of = (ahead: number) => toldOf(clockOffsetOf(10_000, 10_020 + sign * ahead, 10_040));
    assert.deepEqual(of(100), []);
    assert.deepEqual(of(300), ['warn: the clock differs']);
    assert.deepEqual(of(600), ['error: the clock differs']);
  }
  assert.deepEqual(toldOf(undefined), [], 'no member to compare with');
});

test('an answer that waited for a processor is no sign of a wrong clock', () => {
  const read = 10_000;
  const late = clockOffsetOf(read - 10, read, read + 4_000);
  assert.deepEqual(late, { aheadMillis: -1_995, doubtMillis: 2_005 });
  assert.deepEqual(toldOf(late), ['warn: clocks cannot be']);
  const slow = clockOffsetOf(read - 2_000, read, read + 2_000);
  assert.deepEqual(toldOf(slow), [], 'slow in both directions');
});

test('a clock that no wait explains is logged however long the answer took', () => {
  assert.deepEqual(toldOf(clockOffsetOf(10_000, 15_000, 12_000)), ['error: the clock differs']);
});
