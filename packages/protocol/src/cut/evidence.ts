/**
 * Evidence that a validator contradicted itself; `docs/protocol.md` 8.3. What is compared is what
 * was signed, never the signatures: ML-DSA is randomised, two signatures of one message are no
 * offence.
 */
import { compareBytes, equalBytes, expectBytes } from '../base/bytes.ts';
import { Reader } from '../base/reader.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { expectThat } from './check.ts';
import type { Proposal } from './proposal.ts';
import {
  decodeProposal,
  encodeProposal,
  PROPOSAL_BYTES,
  proposalSignBytes,
  verifyProposal,
} from './proposal.ts';
import type { Validator, ValidatorSet } from './validator-set.ts';
import type { Vote } from './vote.ts';
import { decodeVote, encodeVote, VOTE_BYTES, verifyVote, voteSignBytes } from './vote.ts';

export type Evidence =
  | { readonly kind: 'votes'; readonly first: Vote; readonly second: Vote }
  | { readonly kind: 'proposals'; readonly first: Proposal; readonly second: Proposal };

const KINDS = { votes: 1, proposals: 2 } as const;
const NO_CHAIN = new Uint8Array(ID_BYTES);

/** Two contradicting votes as evidence, in the one allowed order. */
export function evidenceOfVotes(one: Vote, other: Vote): Evidence {
  const isFirst = compareBytes(signedByVote(one), signedByVote(other)) < 0;
  return { kind: 'votes', first: isFirst ? one : other, second: isFirst ? other : one };
}

/** Two contradicting proposals as evidence, in the one allowed order. */
export function evidenceOfProposals(one: Proposal, other: Proposal): Evidence {
  const isFirst = compareBytes(signedByProposal(one), signedByProposal(other)) < 0;
  return { kind: 'proposals', first: isFirst ? one : other, second: isFirst ? other : one };
}

export function encodeEvidence(evidence: Evidence, path = 'evidence'): Uint8Array {
  checkContradiction(evidence, path);
  const writer = new Writer(2 * VOTE_BYTES + 16).u8(KINDS[evidence.kind]);
  if (evidence.kind === 'votes') {
    return writer
      .counted(encodeVote(evidence.first, `${path}.first`))
      .counted(encodeVote(evidence.second, `${path}.second`))
      .finish();
  }
  return writer
    .counted(encodeProposal(evidence.first, `${path}.first`))
    .counted(encodeProposal(evidence.second, `${path}.second`))
    .finish();
}

export function decodeEvidence(bytes: Uint8Array, path = 'evidence'): Evidence {
  const reader = new Reader(expectBytes(bytes, path), path);
  const evidence = readEvidence(reader, path);
  reader.end();
  return evidence;
}

export function readEvidence(reader: Reader, path: string): Evidence {
  const kind = reader.u8();
  const known = kind === KINDS.votes || kind === KINDS.proposals;
  expectThat(known, 'bad_evidence', `expected kind 1 or 2, found ${kind}`, `${path}.kind`);
  const evidence = kind === KINDS.votes ? readVotes(reader, path) : readProposals(reader, path);
  checkContradiction(evidence, path);
  return evidence;
}

function readVotes(reader: Reader, path: string): Evidence {
  const first = decodeVote(reader.counted(VOTE_BYTES), `${path}.first`);
  const second = decodeVote(reader.counted(VOTE_BYTES), `${path}.second`);
  return { kind: 'votes', first, second };
}

function readProposals(reader: Reader, path: string): Evidence {
  const first = decodeProposal(reader.counted(PROPOSAL_BYTES), `${path}.first`);
  const second = decodeProposal(reader.counted(PROPOSAL_BYTES), `${path}.second`);
  return { kind: 'proposals', first, second };
}

/**
 * Refuses evidence that does not convict: both signatures must be by the key that the validator
 * had in the named set. Returns that validator.
 */
export function checkEvidence(
  evidence: Evidence,
  set: ValidatorSet,
  chainId: Uint8Array,
  path = 'evidence',
): Validator {
  expectBytes(chainId, 'chainId', ID_BYTES);
  checkContradiction(evidence, path);
  const { validatorIndex, validatorSetId } = evidence.first;
  expectThat(
    equalBytes(validatorSetId, set.id),
    'wrong_validator_set',
    'the messages name another validator set',
    `${path}.first.validatorSetId`,
  );
  const validator = set.validators[validatorIndex];
  const size = set.validators.length;
  expectThat(
    validator !== undefined,
    'bad_evidence',
    `the set has ${size} validators, found index ${validatorIndex}`,
    `${path}.first.validatorIndex`,
  );
  const [firstHolds, secondHolds] =
    evidence.kind === 'votes'
      ? [evidence.first, evidence.second].map((vote) => verifyVote(vote, chainId, set))
      : [evidence.first, evidence.second].map((one) => verifyProposal(one, chainId, set));
  expectThat(firstHolds === true, 'bad_signature', 'does not hold', `${path}.first.signature`);
  expectThat(secondHolds === true, 'bad_signature', 'does not hold', `${path}.second.signature`);
  return validator;
}

/** Both messages are of one validator for one place in the protocol, and say different things. */
function checkContradiction(evidence: Evidence, path: string): void {
  const { first, second } = evidence;
  const isSamePlace =
    first.validatorIndex === second.validatorIndex &&
    equalBytes(first.validatorSetId, second.validatorSetId) &&
    first.height === second.height &&
    first.round === second.round &&
    (evidence.kind === 'proposals' || evidence.first.kind === evidence.second.kind);
  expectThat(
    isSamePlace,
    'bad_evidence',
    'expected two messages of one validator for the same set, kind, height and round',
    path,
  );
  const order =
    evidence.kind === 'votes'
      ? compareBytes(signedByVote(evidence.first), signedByVote(evidence.second))
      : compareBytes(signedByProposal(evidence.first), signedByProposal(evidence.second));
  expectThat(order !== 0, 'bad_evidence', 'both messages say the same', path);
  expectThat(order < 0, 'not_canonical', 'the smaller signed bytes come first', path);
}

/** The order does not depend on the chain, which both messages share. */
function signedByVote(vote: Vote): Uint8Array {
  return voteSignBytes(vote, NO_CHAIN);
}

function signedByProposal(proposal: Proposal): Uint8Array {
  return proposalSignBytes(proposal, NO_CHAIN);
}
