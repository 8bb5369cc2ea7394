import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnprovenHeightBudget } from './unproven-heights.ts';

const MOST_MILLIS = 15_000;
const STEP_MILLIS = 10;
/** A starting validator signs when so many checks in a row, at this distance, have found no peer ahead. */
const LOOK_MILLIS = 100;
const LOOKS = 10;
const CALM_MILLIS = LOOK_MILLIS * LOOKS;
const FOREVER_MILLIS = 1_000_000;

/** For how long a validator that starts is held up by a peer that claims at the moments given. */
function waitingMillis(isClaimed: (millis: number) => boolean): number {
  const budget = new UnprovenHeightBudget(MOST_MILLIS, CALM_MILLIS);
  let calm = 0;
  let now = 0;
  while (calm < LOOKS && now < FOREVER_MILLIS) {
    now += STEP_MILLIS;
    if (now % LOOK_MILLIS === 0) calm = isClaimed(now) && budget.isLeft ? 0 : calm + 1;
    budget.pass(isClaimed(now), now);
  }
  return now;
}

test('a liar that stays holds a node up for the budget', () => {
  const waited = waitingMillis(() => true);
  assert.ok(waited <= MOST_MILLIS + CALM_MILLIS, `${waited}`);
});

for (const [stays, comesEvery] of [
  [110, 900],
  [150, 500],
  [300, 350],
  [2_000, 2_900],
] as const)
  test(`a liar that stays for ${stays} ms and comes every ${comesEvery} ms holds it up for twice that at most`, () => {
    const isThere = (millis: number) => millis % comesEvery < stays;
    const waited = waitingMillis(isThere);
    assert.ok(waited <= 2 * MOST_MILLIS + CALM_MILLIS, `${waited}`);
  });

test('a spent budget stays spent until half of it has come back, or a proof fills it', () => {
  const budget = new UnprovenHeightBudget(MOST_MILLIS, CALM_MILLIS);
  budget.pass(true, 0);
  budget.pass(true, MOST_MILLIS);
  assert.equal(budget.isLeft, false);
  budget.pass(false, MOST_MILLIS + 60_000);
  assert.equal(budget.isLeft, false, 'a second has come back');
  budget.pass(false, MOST_MILLIS + 30 * MOST_MILLIS);
  assert.equal(budget.isLeft, true);
  budget.pass(true, 40 * MOST_MILLIS);
  assert.equal(budget.isLeft, false);
  budget.fill();
  assert.equal(budget.isLeft, true);
});
