/**
 * What must be refused of section 8: headers, bodies, votes, proposals, certificates, evidence and
 * validator sets that break a rule of their form.
 */
import {
  CUT_PROPOSER,
  CUT_REGISTERED_BYTES,
  CUT_REGISTERED_COUNT,
} from '../../assembly/cut/layout.ts';
import { concatBytes } from '../../src/base/bytes.ts';
import { Writer } from '../../src/base/writer.ts';
import {
  decodeCertificate,
  decodePolkaCertificate,
  encodeCertificate,
  encodePolkaCertificate,
} from '../../src/cut/certificate.ts';
import { decodeCutBody } from '../../src/cut/cut-body.ts';
import { decodeCutHeader } from '../../src/cut/cut-header.ts';
import { decodeEvidence, encodeEvidence, evidenceOfVotes } from '../../src/cut/evidence.ts';
import { decodeProposal, encodeProposal } from '../../src/cut/proposal.ts';
import { decodeValidatorSet } from '../../src/cut/validator-set.ts';
import { decodeVote, encodeVote } from '../../src/cut/vote.ts';
import { seededBytes } from '../seeded-bytes.ts';
import type { Committee } from '../testing/validators.ts';
import { signCertificate, signProposal, signVote } from '../testing/validators.ts';
import { otherLengths, refusedBytes, withBytes } from './refused.ts';

const NO_ID = new Array<number>(48).fill(0);
const MINUS_TWO = [0xfe, 0xff, 0xff, 0xff];
const TOO_LATE = [0, 0, 0, 0x80];

function refusedHeaders(header: Uint8Array): object[] {
  return refusedBytes('header_hex', decodeCutHeader, {
    ...otherLengths(header),
    'version 2': withBytes(header, 0, 2),
    'a proposer of 64': withBytes(header, CUT_PROPOSER, 64),
    '257 registered blocks': withBytes(header, CUT_REGISTERED_COUNT, 1, 1),
    'more bytes than the blocks can have': withBytes(
      header,
      CUT_REGISTERED_BYTES,
      0xff,
      0xff,
      0xff,
    ),
  });
}

function refusedBodies(): object[] {
  const ids = Array.from({ length: 257 }, (_, index) => seededBytes(`block ${index}`, 48));
  const [first, ...others] = ids as [Uint8Array, ...Uint8Array[]];
  return refusedBytes('body_hex', decodeCutBody, {
    'a block twice': concatBytes(Uint8Array.of(2), first, first, Uint8Array.of(0)),
    '257 blocks': concatBytes(Uint8Array.of(0x81, 2), first, ...others, Uint8Array.of(0)),
    'five pieces of evidence': Uint8Array.of(0, 5),
    'a byte too many': Uint8Array.of(0, 0, 0),
    'no number of evidence': Uint8Array.of(0),
  });
}

function refusedVotes(committee: Committee, place: Place): object[] {
  const vote = encodeVote(signVote(committee, 0, { ...place, kind: 'prevote' }));
  return refusedBytes('vote_hex', decodeVote, {
    'one byte short': vote.slice(0, -1),
    'the kind 3': withBytes(vote, 0, 3),
    'the flag 2': withBytes(vote, 17, 2),
    'nil with a cut id': withBytes(vote, 17, 0),
    'a round of 2^31': withBytes(vote, 9, ...TOO_LATE),
    'a valid round of −2': withBytes(vote, 13, ...MINUS_TWO),
    'a valid round that is the round': withBytes(vote, 13, place.round),
    'a precommit with a valid round': withBytes(withBytes(vote, 0, 2), 13, 1, 0, 0, 0),
    'nil with a valid round': withBytes(withBytes(vote, 17, 0, ...NO_ID), 13, 1, 0, 0, 0),
    'a validator of 64': withBytes(vote, 66, 64),
  });
}

function refusedProposals(committee: Committee, place: Place): object[] {
  const proposal = encodeProposal(signProposal(committee, 1, place));
  return refusedBytes('proposal_hex', decodeProposal, {
    'one byte short': proposal.slice(0, -1),
    'a valid round that is the round': withBytes(proposal, 12, place.round),
    'a round of 2^31': withBytes(proposal, 8, ...TOO_LATE),
    'a validator of 64': withBytes(proposal, 64, 64),
  });
}

function refusedCertificates(committee: Committee, place: Place): object[] {
  const precommits = signCertificate(committee, [0], { ...place, kind: 'precommit' });
  const one = encodeCertificate(precommits);
  const polka = encodePolkaCertificate({ ...precommits, validRound: -1 });
  const signersAt = 8 + 4 + 48 + 48;
  return [
    ...refusedBytes('certificate_hex', decodeCertificate, {
      ...otherLengths(one),
      'no signers': withBytes(one, signersAt, 0).slice(0, signersAt + 8),
      'two signers and one signature': withBytes(one, signersAt, 3),
      'a round of 2^31': withBytes(one, 8, ...TOO_LATE),
    }),
    ...refusedBytes('polka_certificate_hex', decodePolkaCertificate, {
      'a valid round that is the round': withBytes(polka, 0, place.round, 0, 0, 0),
      'a valid round of −2': withBytes(polka, 0, ...MINUS_TWO),
    }),
  ];
}

function refusedEvidence(committee: Committee, place: Place): object[] {
  const content = { ...place, kind: 'precommit' } as const;
  const one = signVote(committee, 2, content);
  const other = signVote(committee, 2, { ...content, cutId: seededBytes('other cut', 48) });
  const { first, second } = evidenceOfVotes(one, other);
  const elsewhere = signVote(committee, 2, { ...content, round: place.round + 1 });
  const another = signVote(committee, 1, content);
  const joined = (a: typeof one, b: typeof one) =>
    new Writer().u8(1).counted(encodeVote(a)).counted(encodeVote(b)).finish();
  const good = encodeEvidence(evidenceOfVotes(one, other));
  return refusedBytes('evidence_hex', decodeEvidence, {
    'the kind 3': withBytes(good, 0, 3),
    'votes as proposals': withBytes(good, 0, 2),
    'the greater first': joined(second as typeof one, first as typeof one),
    'the same vote twice': joined(one, one),
    'votes of two rounds': joined(one, elsewhere),
    'votes of two validators': joined(one, another),
  });
}

function refusedSets(committee: Committee): object[] {
  const size = 48 + 1952 + 8;
  const { encodedSet } = committee;
  const member = (index: number) => encodedSet.subarray(1 + index * size, 1 + (index + 1) * size);
  const [first, second] = [member(0), member(1)];
  const rich = withBytes(first, 2000, ...new Array<number>(8).fill(0xff));
  return refusedBytes('validator_set_hex', decodeValidatorSet, {
    'no members': Uint8Array.of(0),
    'a member twice': concatBytes(Uint8Array.of(2), first, first),
    'ids that fall': concatBytes(Uint8Array.of(2), second, first),
    'no stake': concatBytes(Uint8Array.of(1), withBytes(first, 2000, ...NO_ID.slice(0, 8))),
    'more stake than the supply': concatBytes(Uint8Array.of(1), rich),
    'a byte too many': concatBytes(Uint8Array.of(1), first, Uint8Array.of(0)),
  });
}

/** Where votes, proposals and certificates stand. */
export interface Place {
  readonly height: bigint;
  readonly round: number;
  readonly validRound: -1;
  readonly cutId: Uint8Array;
  readonly validatorSetId: Uint8Array;
}

export function refusedCutVectors(
  committee: Committee,
  header: Uint8Array,
  place: Place,
): object[] {
  return [
    ...refusedHeaders(header),
    ...refusedBodies(),
    ...refusedVotes(committee, place),
    ...refusedProposals(committee, place),
    ...refusedCertificates(committee, place),
    ...refusedEvidence(committee, place),
    ...refusedSets(committee),
  ];
}
