/**
 * What one height hands to the next, explored within small bounds, and ways to lose some of it that must be found.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exploreHandOver } from './hand-over/explore-hand-over.ts';
import { HAND_OVER, type HandOver, SECOND } from './hand-over/node.ts';
import { firstHeights } from './hand-over/reach.ts';

const OPTIONS = { hasJunk: true, statesMax: 20_000 };

test('after a decision, the claim of any proposer can be completed by all others, who can then vote, also after a crash', (t) => {
  const found = exploreHandOver(firstHeights(4, 2), { ...OPTIONS, hasJunk: false });
  t.diagnostic(`${found.states} states of validators, ${found.pairs} pairs`);
  assert.deepEqual(found.violation, undefined);
  assert.ok(found.pairs > 100);
});

test('so they can when a liar precommits the cut in ten rounds of its own, and the first round is forgotten', (t) => {
  const found = exploreHandOver(firstHeights(12, 2), OPTIONS);
  t.diagnostic(`${found.states} states of validators, ${found.pairs} pairs`);
  assert.deepEqual(found.violation, undefined);
  assert.ok(found.pairs > 100);
});

/** All precommitted in round 0, so that a header may claim one more than a certificate needs. */
const ONCE = { early: [0, 1, 2], late: [], lateRound: 4 };

const isOfLast = (height: number) => height < SECOND;

const BROKEN: readonly (readonly [string, Partial<HandOver>, RegExp])[] = [
  ['no validator answers requests for precommits', { answers: () => [] }, /lacks/],
  [
    'late precommits are of no interest',
    {
      admit: (state, message) =>
        isOfLast(message.height) && state.context.height === SECOND
          ? 'ignore'
          : HAND_OVER.admit(state, message),
    },
    /lacks/,
  ],
];

for (const [name, broken, reason] of BROKEN)
  test(`control: ${name}; the exploration finds it`, (t) => {
    const handOver = { ...HAND_OVER, ...broken };
    const options = { ...OPTIONS, hasJunk: false, handOver };
    const { violation } = exploreHandOver([ONCE], options);
    assert.match(violation?.reason ?? 'nothing found', reason);
    for (const line of violation?.path ?? []) t.diagnostic(line);
  });
