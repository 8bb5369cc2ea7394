/**
 * Bounded runs of the exploration, what shows that it misses nothing, and rules broken on purpose
 * that it must find.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GUARDS, type Guards, RULES, type Rules } from 'svc-consensus/machine';
import { Random } from '../base/random.ts';
import { Explorer, explore, type Violation } from './search/explore.ts';
import { agreement } from './search/invariants.ts';
import { nodeKey } from './search/node-table.ts';
import { renamingsOf } from './search/symmetry.ts';
import { describeWorld, WORLDS } from './search/universe.ts';
import { plainMoves, projectionOf, projectionsOf, Walker } from './testing/plain-moves.ts';

for (const world of WORLDS) {
  test(`one round, ${describeWorld(world)}: every state there is, no violation`, () => {
    const found = explore({ ...world, rounds: 1 }, { statesMax: 500_000 });
    assert.equal(found.violation, undefined);
    assert.ok(found.isComplete);
    assert.ok(found.decidable > 0);
  });

  test(`two rounds, ${describeWorld(world)}: the first states of both ways, no violation`, () => {
    const lazy = explore(world, { statesMax: 10_000 });
    assert.deepEqual([lazy.violation, lazy.states], [undefined, 10_000]);
    const plain = explore(world, { statesMax: 4_000, movesOf: plainMoves, keyOf: nodeKey });
    assert.deepEqual([plain.violation, plain.states], [undefined, 4_000]);
  });
}

test('random walks by single messages reach nothing that the lazy search has not', (t) => {
  for (const world of WORLDS.map((each) => ({ ...each, rounds: 1 }))) {
    const explorer = new Explorer(world, { statesMax: 500_000 });
    assert.ok(explorer.run().isComplete);
    const renamings = renamingsOf(world);
    const known = projectionsOf(explorer, renamings);
    const walker = new Walker(world, new Random(7, 1));
    const reached = new Set<string>();
    for (let count = 0; count < 300; count++)
      for (const sent of walker.walk(60)) reached.add(projectionOf(sent, renamings));
    for (const projection of reached) assert.ok(known.has(projection), projection);
    t.diagnostic(`${describeWorld(world)}: ${reached.size} of ${known.size} met by walks`);
    assert.ok(reached.size > known.size / 20);
  }
});

test('renaming makes the search smaller and changes nothing else', () => {
  const [world] = WORLDS;
  assert.ok(world !== undefined);
  const small = { ...world, rounds: 1 };
  const renamings = renamingsOf(small);
  assert.equal(renamings.length, 3);
  const folded = new Explorer(small, { statesMax: 500_000 });
  const whole = new Explorer(small, { statesMax: 500_000, renamings: [] });
  const [few, many] = [folded.run(), whole.run()];
  assert.ok(many.isComplete && many.states > 3 * few.states);
  const again = new Set<string>();
  for (const projection of projectionsOf(whole, []))
    again.add(projectionOf(projection.split(',').map(Number), renamings));
  assert.deepEqual(again, projectionsOf(folded, renamings));
});

const BROKEN: readonly (readonly [string, Partial<Guards>, RegExp])[] = [
  [
    'a fresh proposal is prevoted whatever the lock',
    { mayPrevoteFresh: () => true },
    /then prevote/,
  ],
  ['a precommit does not lock', { lockAfterPolka: (locked) => locked }, /is locked on -1/],
  [
    'a proposal made again needs no polka',
    { polkaHolds: () => true },
    /without a polka in round 0/,
  ],
  ['an invalid cut is as good as a valid one', { judgedValid: () => true }, /invalid/],
  [
    'half of the stake is a quorum',
    { quorum: (set, stake) => 2n * stake >= set.totalStake },
    /without a polka|two cuts/,
  ],
];

for (const [name, guards, expected] of BROKEN) {
  test(`control: ${name}; the exploration finds it`, (t) => {
    const rules = { ...RULES, guards: { ...GUARDS, ...guards } };
    const violation = findViolation(rules);
    assert.match(violation?.reason ?? 'nothing found', expected);
    assert.ok((violation?.path.length ?? 0) > 1);
    t.diagnostic(`${violation?.reason}, after ${(violation?.path.length ?? 0) - 1} moves`);
  });
}

function findViolation(rules: Rules): Violation | undefined {
  for (const world of WORLDS) {
    const { violation } = explore({ ...world, rules }, { statesMax: 30_000 });
    if (violation !== undefined) return violation;
  }
  return undefined;
}

test('control: without the lock two cuts are decided, and that alone is found too', () => {
  const guards = { ...GUARDS, mayPrevoteFresh: () => true };
  const [world] = WORLDS;
  assert.ok(world !== undefined);
  const broken = { ...world, rules: { ...RULES, guards } };
  const options = { statesMax: 150_000, invariants: [agreement] } as const;
  const { violation } = explore(broken, options);
  assert.equal(violation?.reason, 'two cuts were decided');
});
