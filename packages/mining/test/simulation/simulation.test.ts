import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { SimulatedMiner } from './miners.ts';
import { World } from './world.ts';

const MINERS = 120;
const MILLIS = 60_000;
const CALM_MILLIS = 90_000;
const SEEDS = ['1', '2'];

function simulate(seed: string, millis = MILLIS) {
  const world = new World(seed);
  const miners = Array.from(
    { length: MINERS },
    (_, number) => new SimulatedMiner(world, number, number % 5 === 4),
  );
  world.run(millis);
  for (const miner of miners) miner.isCalm = true;
  world.run(millis + CALM_MILLIS);
  return { world, miners };
}

for (const seed of SEEDS) {
  test(`seed ${seed}: no acknowledged share is lost or counted twice, no prefix is out twice, credits are the rewards`, () => {
    const { world, miners } = simulate(seed);
    const acknowledged = miners.flatMap((miner) => (miner.isLiar ? [] : miner.acknowledged));
    assert.ok(acknowledged.length > 500, `${acknowledged.length} acknowledged`);
    assert.equal(new Set(acknowledged).size, acknowledged.length, 'acknowledged once');
    for (const key of acknowledged) assert.equal(world.credited.get(key), 1, key);
    for (const [key, count] of world.credited) assert.equal(count, 1, key);
    for (const miner of miners)
      if (!miner.isLiar) assert.equal(miner.unanswered, 0, 'everything is answered in the end');
    const credits = [...world.credits.values()].reduce((sum, atoms) => sum + atoms, 0n);
    assert.ok(world.rewards > 0n);
    assert.equal(credits + world.fees + world.carried, world.rewards);
    for (const refusal of [
      'duplicate',
      'stale',
      'wrong_prefix',
      'low_difficulty',
      'bad_message',
      'too_fast',
    ])
      assert.ok((world.refusals.get(refusal) ?? 0) > 0, `${refusal} never happened`);
    assert.ok(world.sessions.size <= MINERS * 2, 'sessions that nobody can resume are gone');
  });
}

test('the same seed gives the same world', () => {
  const digest = () => {
    const { world } = simulate('same', 20_000);
    return createHash('sha256')
      .update([...world.credited.keys()].join())
      .digest('hex');
  };
  assert.equal(digest(), digest());
});
