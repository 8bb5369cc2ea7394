import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, B, commit, SET, vote } from '../../../test/machine/scenario.ts';
import { CLAIMED_ROUNDS_MAX } from '../base/limits.ts';
import type { Round } from '../base/types.ts';
import { round } from '../base/types.ts';
import type { PreviousCommits } from './previous-commits.ts';
import {
  keepClaimedRound,
  keepPreviousCommit,
  previousCommitsOf,
  previousSigners,
} from './previous-commits.ts';

const OWN = 3;
const own = previousCommitsOf(SET, commit(OWN, A, [0, 1, 2]));

function withClaims(rounds: readonly number[]): PreviousCommits {
  return rounds.reduce<PreviousCommits>(
    (held, at) => keepClaimedRound(held, commit(at, A, [1, 2, 3])) ?? held,
    own,
  );
}

const roundsOf = ({ tables }: PreviousCommits): Round[] => [...tables.keys()];

test('single precommits count in the rounds that are held, and take no room in others', () => {
  const late = keepPreviousCommit(own, vote('precommit', 3, OWN, A));
  assert.equal(late && previousSigners(late, round(OWN)), 0b1111n);
  for (const other of [
    vote('precommit', 3, OWN + 1, A),
    vote('precommit', 3, OWN, B),
    vote('precommit', 0, OWN, A),
    vote('precommit', 4, OWN, A),
    vote('prevote', 3, OWN, A),
  ])
    assert.equal(keepPreviousCommit(own, other), undefined);
  const claimed = keepPreviousCommit(withClaims([9]), vote('precommit', 0, 9, A));
  assert.equal(claimed && previousSigners(claimed, round(9)), 0b1111n);
});

test('a claimed round is held with every signer that its certificate names', () => {
  const held = withClaims([9]);
  assert.equal(previousSigners(held, round(9)), 0b1110n);
  assert.equal(previousSigners(held, round(OWN)), 0b0111n);
  assert.equal(keepClaimedRound(held, commit(9, A, [0, 1, 2])), undefined, 'it is held');
  assert.equal(keepClaimedRound(held, commit(OWN, A, [1, 2, 3])), undefined, 'so is our own');
});

test('the latest claimed round is always taken, and the round of our certificate always stays', () => {
  const claims = Array.from({ length: 3 * CLAIMED_ROUNDS_MAX }, (_, at) => 100 + at);
  for (const count of claims.keys()) {
    const rounds = roundsOf(withClaims(claims.slice(0, count + 1)));
    assert.deepEqual(rounds, [OWN, ...claims.slice(0, count + 1).slice(-CLAIMED_ROUNDS_MAX)]);
  }
});
