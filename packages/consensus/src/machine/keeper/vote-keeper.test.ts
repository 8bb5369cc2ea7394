import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, B, polka, proposal, SET, vote } from '../../../test/machine/scenario.ts';
import { POLKAS_MAX, ROUNDS_AHEAD_MAX, ROUNDS_BEHIND_MAX } from '../base/limits.ts';
import { NIL, NO_ROUND, round } from '../base/types.ts';
import { isQuorum } from '../base/validator-set.ts';
import { hasAnyPolka, highestRounds, reachedRound } from './keeper-queries.ts';
import type { VoteKeeper } from './vote-keeper.ts';
import {
  createVoteKeeper,
  isFarVoteWanted,
  keepPolka,
  keepProposal,
  keepVote,
  moveWindow,
  recordOf,
} from './vote-keeper.ts';

const empty = createVoteKeeper(SET, round(0));
const keep = (keeper: VoteKeeper, ...votes: ReturnType<typeof vote>[]) =>
  votes.reduce((held, one) => keepVote(held, one).keeper, keeper);

const FAR = ROUNDS_AHEAD_MAX + 1;
const farRounds = (keeper: VoteKeeper) => keeper.far.map((one) => one?.round);

test('beyond the window one vote per validator is held', () => {
  const keeper = keep(
    empty,
    vote('prevote', 1, FAR, NIL),
    vote('prevote', 1, 3 * FAR, NIL),
    vote('precommit', 1, FAR + 2, NIL),
    vote('prevote', 2, 1_000_000, NIL),
  );
  assert.equal(keeper.records.length, 0);
  assert.deepEqual(farRounds(keeper), [undefined, 3 * FAR, 1_000_000, undefined]);
  assert.deepEqual(highestRounds(keeper), [-1, 3 * FAR, 1_000_000, -1]);
});

const FAR_VOTES: readonly [
  string,
  own: number,
  held: number | undefined,
  round: number,
  boolean,
][] = [
  ['the first beyond the window', 0, undefined, FAR, true],
  ['the last of the window', 0, undefined, FAR - 1, false],
  ['one not twice as far', 0, 10, 19, false],
  ['one twice as far', 0, 10, 20, true],
  ['one twice as far from round 8', 8, 18, 28, true],
  ['one not twice as far from round 8', 8, 18, 27, false],
  ['one before the held one', 0, 10, 5, false],
  ['one of the height that has not started', -1, 10, 20, true],
  ['one behind', 20, undefined, 5, false],
];
for (const [description, own, held, at, isWanted] of FAR_VOTES)
  test(`a far vote, ${description}, is ${isWanted ? '' : 'not '}held`, () => {
    const start = createVoteKeeper(SET, round(own));
    const keeper = held === undefined ? start : keep(start, vote('prevote', 1, held, NIL));
    const next = vote('precommit', 1, at, A);
    assert.equal(isFarVoteWanted(keeper, next), isWanted);
    assert.equal(farRounds(keep(keeper, next))[1], isWanted ? at : held);
  });

test('moving the window takes in far votes it covers and drops old rounds', () => {
  const keeper = keep(empty, vote('prevote', 1, 0, A), vote('precommit', 2, 9, NIL));
  const moved = moveWindow(keeper, round(9), NO_ROUND);
  assert.equal(recordOf(moved, round(9))?.precommits.stake, 1n);
  assert.equal(moved.far[2], undefined);
  assert.equal(recordOf(moved, round(0)), undefined);
  const last = moveWindow(keeper, round(9 - ROUNDS_AHEAD_MAX), NO_ROUND);
  assert.deepEqual([recordOf(last, round(9))?.precommits.stake, last.far[2]], [1n, undefined]);
  assert.ok(
    recordOf(moveWindow(keeper, round(ROUNDS_BEHIND_MAX), NO_ROUND), round(0)) !== undefined,
  );
});

test('a second vote is a conflict once, and does not move the sums', () => {
  const keeper = keep(empty, vote('prevote', 1, 0, A));
  const second = keepVote(keeper, vote('prevote', 1, 0, B));
  assert.deepEqual([second.conflict?.first.value, second.conflict?.second.value], [A, B]);
  assert.equal(recordOf(second.keeper, round(0))?.prevotes.stake, 1n);
  assert.equal(keepVote(second.keeper, vote('prevote', 1, 0, NIL)).conflict, undefined);
  assert.equal(
    keepVote(keeper, vote('prevote', 1, 0, A)).keeper,
    keeper,
    'a repeat changes nothing',
  );
});

test('the same value with another valid round is a conflict too', () => {
  const keeper = keep(empty, vote('prevote', 1, 2, A, 0));
  assert.ok(keepVote(keeper, vote('prevote', 1, 2, A, 1)).conflict !== undefined);
});

test('two proposals of a round are held, a third is not', () => {
  const held = [A, B].reduce(
    (keeper, value) =>
      keepProposal(keeper, { proposal: proposal(1, 0, value), timely: true }).keeper,
    empty,
  );
  assert.equal(recordOf(held, round(0))?.proposals.length, 2);
  const third = { proposal: proposal(1, 0, 'c'.repeat(96) as typeof A), timely: true };
  assert.equal(keepProposal(held, third).keeper, held);
});

test('a polka certificate counts although single votes say otherwise', () => {
  const keeper = keep(empty, ...[1, 2, 3].map((index) => vote('prevote', index, 0, NIL)));
  assert.equal(hasAnyPolka(keeper, round(0), A, isQuorum), false);
  const { keeper: proven } = keepPolka(keeper, polka(0, A, [1, 2, 3]), NO_ROUND);
  assert.equal(hasAnyPolka(proven, round(0), A, isQuorum), true);
  assert.equal(hasAnyPolka(proven, round(0), B, isQuorum), false);
});

test('a polka older than the window is taken if a held proposal leans on it', () => {
  const late = createVoteKeeper(SET, round(20));
  const old = polka(1, A, [1, 2, 3]);
  assert.equal(keepPolka(late, old, round(1)).changed, false);
  const leaning = keepProposal(late, { proposal: proposal(1, 20, A, 1), timely: true }).keeper;
  assert.equal(keepPolka(leaning, old, round(1)).changed, true);
});

test('a polka older than the window is taken if it is the latest that is known', () => {
  const late = createVoteKeeper(SET, round(20));
  const { changed, keeper } = keepPolka(late, polka(1, A, [1, 2, 3]), NO_ROUND);
  assert.equal(changed, true);
  assert.equal(moveWindow(keeper, round(21), NO_ROUND).polkas.length, 1);
  assert.equal(moveWindow(keeper, round(21), round(1)).polkas.length, 0);
});

test('the reached round is the highest that more than a third of the stake stands behind', () => {
  const honest = (_set: typeof SET, stake: bigint) => stake >= 2n;
  assert.equal(reachedRound(SET, [7, 3, 3, -1].map(round), honest), 3);
  assert.equal(reachedRound(SET, [7, -1, -1, -1].map(round), honest), -1);
});

test('a limited number of polkas is held, whatever certificates come', () => {
  let keeper = empty;
  for (let count = 0; count <= POLKAS_MAX; count++) {
    const value = count.toString(16).padStart(96, '0') as typeof A;
    keeper = keepPolka(keeper, polka(0, value, [1, 2, 3]), NO_ROUND).keeper;
  }
  assert.equal(keeper.polkas.length, POLKAS_MAX);
});
