import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { expectRefused, refusal } from '../../test/testing/expect-refused.ts';
import {
  CHAIN_ID,
  sampleCommittee,
  signProposal,
  signVote,
} from '../../test/testing/validators.ts';
import { concatBytes, equalBytes } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { decodeProposal, encodeProposal, PROPOSAL_BYTES, verifyProposal } from './proposal.ts';
import {
  decodeVote,
  encodeVote,
  VOTE_BYTES,
  type Vote,
  verifyVote,
  voteSignBytes,
} from './vote.ts';

await init();

const COMMITTEE = sampleCommittee(1n, 2n);
const CUT = seededBytes('cut', 48);
const CONTENT = {
  kind: 'prevote',
  height: 9n,
  round: 4,
  validRound: 2,
  cutId: CUT,
  validatorSetId: COMMITTEE.set.id,
} as const;
const VOTE = signVote(COMMITTEE, 1, CONTENT);
const PROPOSAL = signProposal(COMMITTEE, 1, CONTENT);

test('votes and proposals come back as they were', () => {
  assert.equal(encodeVote(VOTE).length, VOTE_BYTES);
  assert.equal(VOTE_BYTES, 3425);
  assert.deepEqual(decodeVote(encodeVote(VOTE)), VOTE);
  const nil: Vote = { ...VOTE, cutId: undefined, validRound: -1 };
  assert.deepEqual(decodeVote(encodeVote(nil)), nil);
  const { height, round, validRound, cutId, validatorSetId, validatorIndex, signature } = PROPOSAL;
  const proposal = { height, round, validRound, cutId, validatorSetId, validatorIndex, signature };
  assert.equal(encodeProposal(PROPOSAL).length, PROPOSAL_BYTES);
  assert.deepEqual(decodeProposal(encodeProposal(PROPOSAL)), proposal);
});

const changes: readonly [string, Partial<Vote>, string][] = [
  ['a valid round of the same round', { validRound: 4 }, 'vote.validRound'],
  ['a valid round below "none"', { validRound: -2 }, 'vote.validRound'],
  ['a precommit with a valid round', { kind: 'precommit' }, 'vote.validRound'],
  ['a nil vote with a valid round', { cutId: undefined }, 'vote.validRound'],
  ['a round that a valid round could not name', { round: 2 ** 31 }, 'vote.round'],
  ['an index outside any committee', { validatorIndex: 64 }, 'vote.validatorIndex'],
];
for (const [what, change, path] of changes) {
  test(`refused: ${what}`, () => {
    assert.equal(refusal(() => encodeVote({ ...VOTE, ...change })).path, path);
  });
}

test('refused bytes: kind, flag, a nil vote that names a cut, lengths', () => {
  const bytes = encodeVote(VOTE);
  const changed = (at: number, value: number) => {
    const copy = bytes.slice();
    copy[at] = value;
    return () => decodeVote(copy);
  };
  expectRefused(changed(0, 0), 'bad_cut', 'vote.kind');
  expectRefused(changed(0, 3), 'bad_cut', 'vote.kind');
  expectRefused(changed(17, 2), 'not_canonical', 'vote.flag');
  expectRefused(changed(17, 0), 'not_canonical', 'vote.cutId');
  expectRefused(() => decodeVote(bytes.subarray(1)), 'bad_length', 'vote');
  expectRefused(() => decodeVote(concatBytes(bytes, CUT)), 'bad_length', 'vote');
  const proposal = encodeProposal(PROPOSAL);
  expectRefused(() => decodeProposal(proposal.subarray(1)), 'bad_length', 'proposal');
  proposal[12] = 4;
  expectRefused(() => decodeProposal(proposal), 'bad_cut', 'proposal.validRound');
});

test('a signature holds for its validator, chain, set and content, and for nothing else', () => {
  const { set } = COMMITTEE;
  assert.ok(verifyVote(VOTE, CHAIN_ID, set));
  assert.ok(!verifyVote({ ...VOTE, validatorIndex: 0 }, CHAIN_ID, set));
  assert.ok(!verifyVote({ ...VOTE, validatorIndex: 2 }, CHAIN_ID, set));
  assert.ok(!verifyVote(VOTE, CUT, set));
  assert.ok(!verifyVote(VOTE, CHAIN_ID, sampleCommittee(1n, 3n).set));
  assert.ok(!verifyVote({ ...VOTE, height: 10n }, CHAIN_ID, set));
  assert.ok(!verifyVote({ ...VOTE, round: 5 }, CHAIN_ID, set));
  assert.ok(!verifyVote({ ...VOTE, validRound: 1 }, CHAIN_ID, set));
  assert.ok(!verifyVote({ ...VOTE, cutId: undefined }, CHAIN_ID, set));
  assert.ok(!verifyVote({ ...VOTE, kind: 'precommit' }, CHAIN_ID, set));
  assert.ok(verifyProposal(PROPOSAL, CHAIN_ID, set));
  assert.ok(!verifyProposal({ ...PROPOSAL, round: 5 }, CHAIN_ID, set));
  assert.ok(!verifyProposal({ ...PROPOSAL, signature: VOTE.signature }, CHAIN_ID, set));
  assert.ok(!verifyProposal(PROPOSAL, CHAIN_ID, sampleCommittee(1n, 3n).set));
});

test('what is signed differs whenever any part of the content does', () => {
  const id = fc.constantFrom(undefined, CUT, seededBytes('other cut', 48));
  const content = fc.record({
    kind: fc.constantFrom('prevote' as const, 'precommit' as const),
    height: fc.bigInt({ min: 0n, max: 3n }),
    round: fc.integer({ min: 0, max: 3 }),
    validRound: fc.integer({ min: -1, max: 2 }),
    cutId: id,
    validatorSetId: fc.constantFrom(COMMITTEE.set.id, CUT),
  });
  fc.assert(
    fc.property(content, content, (a, b) => {
      const isSame = equalBytes(voteSignBytes(a, CHAIN_ID), voteSignBytes(b, CHAIN_ID));
      assert.equal(isSame, fc.stringify(a) === fc.stringify(b));
    }),
    { numRuns: 500, seed: 11 },
  );
});
