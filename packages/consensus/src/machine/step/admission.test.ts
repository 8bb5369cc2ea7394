import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  A,
  B,
  commit,
  context,
  play,
  polka,
  prevote,
  proposal,
  proposed,
  SET,
  timer,
  verdict,
  vote,
} from '../../../test/machine/scenario.ts';
import type { SignedMessage } from '../base/messages.ts';
import { height, NIL, round } from '../base/types.ts';
import { keepClaimedRound, previousCommitsOf } from '../keeper/previous-commits.ts';
import type { Admission } from './admission.ts';
import { admit, admitPolka } from './admission.ts';

const { state } = play([
  timer('start'),
  prevote(1, 0, A),
  prevote(2, 0, A),
  prevote(2, 0, B),
  proposed(1, 0, A),
]);
const at = (message: SignedMessage, height: number) => ({ ...message, height }) as SignedMessage;

const CASES: readonly [string, SignedMessage, Admission][] = [
  ['a new vote', vote('prevote', 3, 0, A), 'verify'],
  ['a vote that is held', vote('prevote', 1, 0, A), 'ignore'],
  ['a first conflicting vote', vote('prevote', 1, 0, B), 'verify'],
  ['a further vote of an accused', vote('prevote', 2, 0, NIL), 'ignore'],
  ['a vote by an index outside the set', vote('prevote', 4, 0, A), 'reject'],
  ['a vote by index -1', vote('prevote', -1, 0, A), 'reject'],
  [
    'a precommit with a valid round',
    { ...vote('precommit', 1, 2, A), validRound: round(0) },
    'reject',
  ],
  ['a nil prevote with a valid round', vote('prevote', 1, 2, NIL, 1), 'reject'],
  ['a valid round not below the round', vote('prevote', 1, 2, A, 2), 'reject'],
  ['a vote two rounds ahead', vote('prevote', 1, 2, A), 'verify'],
  ['a vote far ahead', vote('prevote', 1, 1000, NIL), 'verify'],
  ['a proposal far ahead', proposal(1, 1000, A), 'ignore'],
  ['the proposal that is held', proposal(1, 0, A), 'ignore'],
  ['a second proposal of the proposer', proposal(1, 0, B), 'verify'],
  ['a proposal by another than the proposer', proposal(2, 0, A), 'reject'],
  ['a proposal for the next round by its proposer', proposal(2, 1, A), 'verify'],
  ['a vote of the next height', at(vote('prevote', 1, 0, A), 6), 'verify'],
  ['a vote of the next height in its third round', at(vote('prevote', 1, 2, A), 6), 'ignore'],
  ['a vote two heights ahead', at(vote('prevote', 1, 0, A), 7), 'ignore'],
  ['a vote of an old height', at(vote('precommit', 1, 0, A), 3), 'ignore'],
  ['a round beyond all rounds', { ...vote('prevote', 1, 0, A), round: 2 ** 31 } as never, 'reject'],
  ['a fractional round', { ...vote('prevote', 1, 0, A), round: 0.5 as never }, 'reject'],
];

test('late precommits are checked once, in rounds that a quorum has signed, and in no other', () => {
  const late = (index: number, inRound: number) => at(vote('precommit', index, inRound, A), 4);
  const claimed = (inRound: number) => ({ ...commit(inRound, A, [0, 1, 2]), height: height(4) });
  const own = previousCommitsOf(SET, claimed(0));
  const previous = keepClaimedRound(own, claimed(7)) ?? assert.fail('round 7 is taken');
  const late4 = { ...state, previous };
  assert.deepEqual(
    [0, 7, 8].map((inRound) => admit(late4, late(3, inRound))),
    ['verify', 'verify', 'ignore'],
  );
  assert.equal(admit(late4, late(1, 7)), 'ignore', 'it is held');
  assert.equal(admit(late4, late(4, 7)), 'reject', 'outside the set');
  const junk = Array.from({ length: 1_000 }, (_, more) => admit(late4, late(3, 100 + more)));
  assert.deepEqual(new Set(junk), new Set(['ignore']));
});

test('of ten thousand votes in rising rounds a few are checked, and as many logged', () => {
  let { state: current } = play([timer('start')]);
  let checked = 0;
  let logged = 0;
  for (let rising = 1; rising <= 10_000; rising++) {
    const input = prevote(1, 100 + rising, NIL);
    if (input.type !== 'vote' || admit(current, input.vote) !== 'verify') continue;
    checked += 1;
    const { state: next, effects } = play([input], current);
    logged += effects.filter(({ type }) => type === 'append').length;
    current = next;
  }
  assert.deepEqual([checked, logged], [7, 7]);
});

test('a polka is checked where it is kept: in the window, as the latest, or if a proposal leans on it', () => {
  const wanted = (from: typeof state, at: number) => admitPolka(from, polka(at, A, [1, 2, 3]));
  assert.deepEqual(
    [0, 2, 3].map((at) => wanted(state, at)),
    [true, true, false],
  );
  const later = play([1, 2, 3].map((index) => prevote(index, 20, NIL))).state;
  assert.equal(later.round.round, 20);
  assert.deepEqual(
    [5, 11, 12].map((at) => wanted(later, at)),
    [true, true, true],
  );
  const certificate = polka(14, A, [1, 2, 3]);
  const valid = play([verdict(A, 'valid'), { type: 'polkaCertificate', certificate }], later).state;
  assert.equal(wanted(valid, 14), false, 'held');
  const last = play(
    [1, 2, 3].map((index) => prevote(index, 40, NIL)),
    valid,
  ).state;
  assert.deepEqual(
    [14, 5, 30].map((at) => wanted(last, at)),
    [false, false, true],
  );
  const leaning = play([proposed(1, 40, A, 5)], last).state;
  assert.equal(wanted(leaning, 5), true);
});

for (const [description, message, admission] of CASES)
  test(`${description}: ${admission}`, () => {
    assert.equal(context().height, 5);
    assert.equal(admit(state, message), admission);
  });
