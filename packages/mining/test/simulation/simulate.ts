/**
 * Runs a world of miners for a while, lets it come to rest, and says what must hold for it.
 */
import assert from 'node:assert/strict';
import { SimulatedMiner } from './miners.ts';
import { World } from './world.ts';

export interface SimulationOptions {
  readonly seed: string;
  readonly miners: number;
  readonly millis: number;
}

export interface Simulation {
  readonly world: World;
  readonly miners: readonly SimulatedMiner[];
  /** Difficulties of all open connections, before the rest. */
  readonly difficulties: readonly bigint[];
}

const CALM_MILLIS = 90_000;
/** Every fifth miner lies. */
const LIARS = 5;
/** The middle of all: 24 tries in about a second are some 120 in the five seconds of a share, fewer with broken links. */
const SETTLED = { least: 16n, most: 256n } as const;
const REFUSALS = [
  'duplicate',
  'stale',
  'wrong_prefix',
  'low_difficulty',
  'bad_message',
  'too_fast',
] as const;

export function simulate({ seed, miners: count, millis }: SimulationOptions): Simulation {
  const world = new World(seed, count);
  const miners = Array.from(
    { length: count },
    (_, number) => new SimulatedMiner(world, number, number % LIARS === LIARS - 1),
  );
  world.run(millis);
  const { difficulties } = world;
  for (const miner of miners) miner.isCalm = true;
  world.run(millis + CALM_MILLIS);
  return { world, miners, difficulties };
}

/**
 * No acknowledged share is lost or counted twice, credits are the rewards, and difficulties have settled; how many
 * were acknowledged.
 */
export function checkSimulation({ world, miners, difficulties }: Simulation): number {
  const acknowledged = miners.flatMap((miner) => (miner.isLiar ? [] : miner.acknowledged));
  assert.equal(new Set(acknowledged).size, acknowledged.length, 'acknowledged once');
  for (const key of acknowledged) assert.equal(world.credited.get(key), 1, key);
  for (const [key, count] of world.credited) assert.equal(count, 1, key);
  for (const miner of miners)
    if (!miner.isLiar) assert.equal(miner.unanswered, 0, 'everything is answered in the end');
  const credits = [...world.credits.values()].reduce((sum, atoms) => sum + atoms, 0n);
  assert.ok(world.rewards > 0n);
  assert.equal(credits + world.fees + world.carried, world.rewards);
  for (const refusal of REFUSALS)
    assert.ok((world.refusals.get(refusal) ?? 0) > 0, `${refusal} never happened`);
  assert.ok((world.refusals.get('too_fast') ?? 0) > world.unchecked, 'floods were refused');
  assert.ok(world.sessions.size <= miners.length * 2, 'sessions that cannot be resumed are gone');
  const middle = difficulties[difficulties.length >> 1] ?? 0n;
  assert.ok(middle >= SETTLED.least && middle <= SETTLED.most, `difficulty ${middle}`);
  return acknowledged.length;
}
