/** How often a pool is asked, however often its page is hidden and shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from 'svc-base/testing';
import type { PoolStatistics } from './documents.ts';
import { AGAIN_MILLIS, PULSE_MILLIS, Pulse } from './pulse.ts';

/** A pool that answers when the test says so. */
function scripted() {
  const clock = new ManualClock();
  const asked: { readonly answer: () => void; readonly fail: () => void }[] = [];
  let isHidden = false;
  const pulse = new Pulse({
    clock,
    isHidden: () => isHidden,
    read: () =>
      new Promise((resolve, reject) => {
        asked.push({
          answer: () => resolve({} as PoolStatistics),
          fail: () => reject(new Error()),
        });
      }),
  });
  const end = async (how: 'answer' | 'fail' = 'answer'): Promise<void> => {
    asked.shift()?.[how]();
    await setImmediate();
  };
  const show = (isShown: boolean): void => {
    isHidden = !isShown;
    pulse.hurry();
  };
  return { pulse, clock, asked, end, show };
}

test('a page that is hidden and shown while it reads reads on as one', async () => {
  const { pulse, clock, asked, end, show } = scripted();
  void pulse.beat();
  await end();
  clock.advance(PULSE_MILLIS);
  for (const isShown of [false, true, false, true]) show(isShown);
  assert.equal(asked.length, 1);
  await end();
  assert.equal(clock.pending, 1);
  show(true);
  assert.deepEqual([asked.length, clock.pending], [1, 0]);
});

test('a hidden page requests nothing, and at once when it is shown again', async () => {
  const { pulse, clock, asked, end, show } = scripted();
  void pulse.beat();
  await end();
  show(false);
  await setImmediate();
  clock.advance(PULSE_MILLIS);
  await setImmediate();
  assert.deepEqual([asked.length, clock.pending], [0, 1]);
  show(true);
  assert.equal(asked.length, 1);
});

test('the first answer makes nothing be read twice; each later one, and one after a loss, does', async () => {
  const { pulse, clock, end } = scripted();
  void pulse.beat();
  await end();
  assert.equal(pulse.beats.value, 0);
  clock.advance(PULSE_MILLIS);
  await end();
  assert.equal(pulse.beats.value, 1);
  const away = scripted();
  void away.pulse.beat();
  await away.end('fail');
  assert.equal(away.pulse.lostMillis.value, away.clock.now());
  away.clock.advance(AGAIN_MILLIS);
  await away.end();
  assert.deepEqual([away.pulse.lostMillis.value, away.pulse.beats.value], [undefined, 1]);
});
