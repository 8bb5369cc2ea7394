import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLEEP_MILLIS, SleepWatch } from './sleep-watch.ts';

const SECOND = 1_000;

test('a late check returns since when, once; checks in time return nothing', () => {
  const watch = new SleepWatch(0);
  assert.equal(watch.check(SECOND, false), undefined);
  assert.equal(watch.check(SECOND + SLEEP_MILLIS, false), SECOND);
  assert.equal(watch.check(2 * SECOND + SLEEP_MILLIS, false), undefined);
});

test('a sleep of a hidden tab is reported when the tab is seen, since the first of them', () => {
  const watch = new SleepWatch(0);
  const wake = 2 * SLEEP_MILLIS;
  assert.equal(watch.check(wake, true), undefined);
  assert.equal(watch.check(wake + SECOND, true), undefined);
  assert.equal(watch.check(2 * wake, true), undefined);
  assert.equal(watch.check(2 * wake + SECOND, false), 0);
  assert.equal(watch.check(2 * wake + 2 * SECOND, false), undefined);
});

test('a connection that was made after the sleep is relied on', () => {
  const watch = new SleepWatch(0);
  watch.check(SLEEP_MILLIS, true);
  watch.forget();
  assert.equal(watch.check(SLEEP_MILLIS + SECOND, false), undefined);
});
