import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vardiff } from './vardiff.ts';

/** Numbers from a seed, in 1..2^32. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state + 1;
  }
}

const STEP_MILLIS = 100;
const STEPS = 18_000;
/** No connection delivers more in a step, however easy its shares are. */
const SHARES_PER_STEP_MAX = 1_000;

/** A miner of a steady rate whose shares come at random, for half an hour; its shares in a second of the second half. */
function mine(vardiff: Vardiff, hashesPerSecond: number, seed: number): number {
  const random = numbers(seed);
  const draw = () => -Math.log((random.next().value as number) / 2 ** 32);
  let left = draw();
  let late = 0;
  for (let step = 0; step < STEPS; step++) {
    left -= (hashesPerSecond * STEP_MILLIS) / 1_000 / Number(vardiff.difficulty);
    for (let shares = 0; left < 0 && shares < SHARES_PER_STEP_MAX; shares++) {
      left += draw();
      vardiff.addShare(vardiff.difficulty);
      if (step > STEPS / 2) late++;
    }
    left = Math.max(left, 0);
    vardiff.retarget(step * STEP_MILLIS);
  }
  return late / 900;
}

test('every rate comes to about one share in five seconds, from far above and far below', () => {
  for (const rate of [100, 120_000, 533_000_000])
    for (const start of [1n, 1_000_000n, 10n ** 12n]) {
      const vardiff = new Vardiff({ start, least: 1n }, 0);
      const perSecond = mine(vardiff, rate, 42);
      assert.ok(perSecond > 0.1 && perSecond < 0.4, `${rate} from ${start}: ${perSecond}`);
    }
});

test('a change is at most fourfold, and small ones are left alone', () => {
  const vardiff = new Vardiff({ start: 1_000n, least: 1n }, 0);
  for (let share = 0; share < 8; share++) vardiff.addShare(1_000n);
  assert.equal(vardiff.retarget(1), 4_000n);
  for (let share = 0; share < 8; share++) vardiff.addShare(4_000n);
  assert.equal(vardiff.retarget(40_001), undefined);
  assert.equal(vardiff.retarget(40_002), undefined, 'a new window has begun');
  assert.equal(vardiff.retarget(70_001), 1_000n, 'no share for half a minute');
});

test('nothing is easier than what the server can check, and a clock that goes back does no harm', () => {
  const vardiff = new Vardiff({ start: 1n, least: 500n }, 10_000);
  assert.equal(vardiff.difficulty, 500n);
  assert.equal(vardiff.retarget(100_000), undefined);
  assert.equal(vardiff.retarget(0), undefined);
  vardiff.restart(100n, 0);
  assert.equal(vardiff.difficulty, 500n);
  assert.throws(() => new Vardiff({ start: 1n, least: 0n }, 0), RangeError);
});
