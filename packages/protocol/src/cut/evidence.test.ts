import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { expectRefused } from '../../test/testing/expect-refused.ts';
import {
  CHAIN_ID,
  sampleCommittee,
  signProposal,
  signVote,
} from '../../test/testing/validators.ts';
import { concatBytes } from '../base/bytes.ts';
import { CONTEXTS, contextBytes } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import type { Evidence } from './evidence.ts';
import {
  checkEvidence,
  decodeEvidence,
  encodeEvidence,
  evidenceOfProposals,
  evidenceOfVotes,
} from './evidence.ts';
import { decodeProposal, encodeProposal } from './proposal.ts';
import { type Vote, voteSignBytes } from './vote.ts';

await init();

const COMMITTEE = sampleCommittee(1n, 2n);
const { set: SET } = COMMITTEE;
const CONTENT = {
  kind: 'precommit',
  height: 9n,
  round: 4,
  validRound: -1,
  cutId: seededBytes('cut', 48),
  validatorSetId: SET.id,
} as const;
const OTHER_CUT = { ...CONTENT, cutId: seededBytes('other cut', 48) };
const VOTE = signVote(COMMITTEE, 1, CONTENT);
const EVIDENCE = evidenceOfVotes(VOTE, signVote(COMMITTEE, 1, OTHER_CUT));

function proposal(content: typeof CONTENT | typeof OTHER_CUT, index = 1) {
  return decodeProposal(encodeProposal(signProposal(COMMITTEE, index, content)));
}

test('two votes and two proposals convict, in either order of discovery', () => {
  const proposals = evidenceOfProposals(proposal(OTHER_CUT), proposal(CONTENT));
  for (const evidence of [EVIDENCE, proposals]) {
    const decoded = decodeEvidence(encodeEvidence(evidence));
    assert.deepEqual(decoded, evidence);
    assert.deepEqual(checkEvidence(decoded, SET, CHAIN_ID), SET.validators[1]);
  }
  const turned = evidenceOfVotes(signVote(COMMITTEE, 1, OTHER_CUT), VOTE);
  assert.deepEqual(encodeEvidence(turned), encodeEvidence(EVIDENCE));
});

test('a vote for nil and one for a cut convict, and so does another valid round', () => {
  const nil = signVote(COMMITTEE, 1, { ...CONTENT, cutId: undefined });
  checkEvidence(evidenceOfVotes(VOTE, nil), SET, CHAIN_ID);
  const prevote = { ...CONTENT, kind: 'prevote' } as const;
  const one = signVote(COMMITTEE, 1, { ...prevote, validRound: 1 });
  checkEvidence(evidenceOfVotes(one, signVote(COMMITTEE, 1, prevote)), SET, CHAIN_ID);
});

test('two signatures of the same words are no offence', () => {
  const random = new Uint8Array(32).fill(1);
  const context = contextBytes(CONTEXTS.vote);
  const { secretKey } = COMMITTEE.signers[1] as (typeof COMMITTEE.signers)[number];
  const signature = mlDsa65.sign(secretKey, voteSignBytes(CONTENT, CHAIN_ID), { context, random });
  const again: Vote = { ...VOTE, signature };
  assert.notDeepEqual(again.signature, VOTE.signature);
  const framed: Evidence = { kind: 'votes', first: VOTE, second: again };
  expectRefused(() => checkEvidence(framed, SET, CHAIN_ID), 'bad_evidence', 'evidence');
  expectRefused(() => encodeEvidence(framed), 'bad_evidence', 'evidence');
});

test('the smaller signed bytes come first', () => {
  const turned = { ...EVIDENCE, first: EVIDENCE.second, second: EVIDENCE.first } as Evidence;
  expectRefused(() => encodeEvidence(turned), 'not_canonical');
  const bytes = encodeEvidence(EVIDENCE);
  const half = (bytes.length - 1) / 2;
  const swapped = concatBytes(
    bytes.subarray(0, 1),
    bytes.subarray(1 + half),
    bytes.subarray(1, 1 + half),
  );
  expectRefused(() => decodeEvidence(swapped), 'not_canonical', 'evidence');
});

const elsewhere: readonly [string, Vote][] = [
  ['validator', signVote(COMMITTEE, 0, OTHER_CUT)],
  ['height', signVote(COMMITTEE, 1, { ...OTHER_CUT, height: 10n })],
  ['round', signVote(COMMITTEE, 1, { ...OTHER_CUT, round: 5 })],
  ['kind', signVote(COMMITTEE, 1, { ...OTHER_CUT, kind: 'prevote' })],
  ['set', signVote(COMMITTEE, 1, { ...OTHER_CUT, validatorSetId: CHAIN_ID })],
];
for (const [what, other] of elsewhere) {
  test(`messages of another ${what} do not contradict each other`, () => {
    const evidence = evidenceOfVotes(VOTE, other);
    expectRefused(() => checkEvidence(evidence, SET, CHAIN_ID), 'bad_evidence', 'evidence');
  });
}

test('both signatures must hold for this chain and this set', () => {
  const { first, second } = EVIDENCE as Extract<Evidence, { kind: 'votes' }>;
  const forged = (change: Partial<Evidence>) => () =>
    checkEvidence({ ...EVIDENCE, ...change } as Evidence, SET, CHAIN_ID);
  const [one, other] = [first.signature, second.signature];
  const firstPath = 'evidence.first.signature';
  expectRefused(forged({ first: { ...first, signature: other } }), 'bad_signature', firstPath);
  const secondPath = 'evidence.second.signature';
  expectRefused(forged({ second: { ...second, signature: one } }), 'bad_signature', secondPath);
  expectRefused(() => checkEvidence(EVIDENCE, SET, SET.id), 'bad_signature');
  const otherSet = sampleCommittee(1n, 3n).set;
  expectRefused(() => checkEvidence(EVIDENCE, otherSet, CHAIN_ID), 'wrong_validator_set');
  const outside = evidenceOfVotes(
    { ...first, validatorIndex: 2 },
    { ...second, validatorIndex: 2 },
  );
  expectRefused(() => checkEvidence(outside, SET, CHAIN_ID), 'bad_evidence');
});

test('refused bytes: kind, lengths, a proposal where a vote is due', () => {
  const bytes = encodeEvidence(EVIDENCE);
  expectRefused(
    () => decodeEvidence(concatBytes(Uint8Array.of(3), bytes.subarray(1))),
    'bad_evidence',
  );
  const asProposals = concatBytes(Uint8Array.of(2), bytes.subarray(1));
  expectRefused(() => decodeEvidence(asProposals), 'bad_length');
  for (const length of [0, 1, 100, bytes.length - 1]) {
    expectRefused(() => decodeEvidence(bytes.subarray(0, length)), 'truncated');
  }
  expectRefused(() => decodeEvidence(concatBytes(bytes, CHAIN_ID)), 'trailing_bytes');
});
