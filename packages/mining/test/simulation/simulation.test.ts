import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { checkSimulation, simulate } from './simulate.ts';

const MINERS = 120;
const MILLIS = 60_000;
const SEEDS = ['1', '2'];

for (const seed of SEEDS) {
  test(`seed ${seed}: no acknowledged share is lost or counted twice, no prefix is out twice, credits are the rewards`, () => {
    const acknowledged = checkSimulation(simulate({ seed, miners: MINERS, millis: MILLIS }));
    assert.ok(acknowledged > 500, `${acknowledged} acknowledged`);
  });
}

test('the same seed gives the same world', () => {
  const digest = () => {
    const { world } = simulate({ seed: 'same', miners: MINERS, millis: 20_000 });
    return createHash('sha256')
      .update([...world.credited.keys()].join())
      .digest('hex');
  };
  assert.equal(digest(), digest());
});
