/**
 * Cuts, votes, proposals, certificates, evidence and validator sets of section 8.
 */
import { toHex } from '../../src/base/bytes.ts';
import {
  encodeCertificate,
  encodePolkaCertificate,
  type PolkaCertificate,
} from '../../src/cut/certificate.ts';
import { encodeCutBody, evidenceRoot, registeredRoot } from '../../src/cut/cut-body.ts';
import { cutId, encodeCutHeader } from '../../src/cut/cut-header.ts';
import type { Evidence } from '../../src/cut/evidence.ts';
import { encodeEvidence, evidenceOfProposals, evidenceOfVotes } from '../../src/cut/evidence.ts';
import { encodeProposal, proposalSignBytes } from '../../src/cut/proposal.ts';
import { encodeVote, type VoteContent, voteSignBytes } from '../../src/cut/vote.ts';
import { seededBytes } from '../seeded-bytes.ts';
import type { Committee } from '../testing/validators.ts';
import {
  CHAIN_ID,
  sampleCommittee,
  sampleHeader,
  signCertificate,
  signProposal,
  signVote,
} from '../testing/validators.ts';
import { refusedCutVectors } from './cuts-refused.ts';

function evidenceOf(
  committee: Committee,
  content: VoteContent & { cutId: Uint8Array },
): Evidence[] {
  const other = { ...content, cutId: seededBytes('other cut', 48) };
  return [
    evidenceOfVotes(signVote(committee, 2, content), signVote(committee, 2, other)),
    evidenceOfProposals(signProposal(committee, 1, content), signProposal(committee, 1, other)),
  ];
}

function voteVector(committee: Committee, index: number, content: VoteContent): object {
  return {
    kind: content.kind,
    vote_hex: toHex(encodeVote(signVote(committee, index, content))),
    sign_bytes_hex: toHex(voteSignBytes(content, CHAIN_ID)),
    validator_index: index,
  };
}

export function cutVectors(): object {
  const committee = sampleCommittee(40n, 30n, 20n, 10n);
  const { set, encodedSet } = committee;
  const place = { height: 1000n, round: 3, validRound: -1, validatorSetId: set.id } as const;
  const blockIds = [0, 1, 2].map((index) => seededBytes(`block ${index}`, 48));
  const evidence = evidenceOf(committee, {
    ...place,
    kind: 'precommit',
    cutId: seededBytes('cut', 48),
  });
  const header = encodeCutHeader(
    sampleHeader(set, {
      registeredRoot: registeredRoot(blockIds),
      evidenceRoot: evidenceRoot(evidence),
    }),
  );
  const cut = { ...place, cutId: cutId(header) };
  const precommit = { ...cut, kind: 'precommit' } as const;
  const prevote = { ...cut, kind: 'prevote', validRound: 1 } as const;
  const polka: PolkaCertificate = {
    ...signCertificate(committee, [0, 1, 2, 3], prevote),
    validRound: prevote.validRound,
  };
  const certificate = signCertificate(committee, [0, 1, 2, 3], precommit);
  return {
    note: 'Cuts and what is said about them, section 8 of docs/protocol.md. Signatures are made with zero randomness; keys follow from seeds that are not part of the vectors.',
    chain_id: toHex(CHAIN_ID),
    validator_set_hex: toHex(encodedSet),
    validator_set_id: toHex(set.id),
    total_stake: set.totalStake.toString(),
    header_hex: toHex(header),
    cut_id: toHex(cut.cutId),
    body_hex: toHex(encodeCutBody({ blockIds, evidence })),
    registered_root: toHex(registeredRoot(blockIds)),
    evidence_root: toHex(evidenceRoot(evidence)),
    votes: [
      voteVector(committee, 0, precommit),
      voteVector(committee, 1, prevote),
      voteVector(committee, 2, { ...precommit, cutId: undefined }),
    ],
    proposal_hex: toHex(encodeProposal(signProposal(committee, 1, prevote))),
    proposal_sign_bytes_hex: toHex(proposalSignBytes(prevote, CHAIN_ID)),
    certificate_hex: toHex(encodeCertificate(certificate)),
    polka_certificate_hex: toHex(encodePolkaCertificate(polka)),
    evidence_hex: evidence.map((item) => toHex(encodeEvidence(item))),
    refused: refusedCutVectors(committee, header, cut),
  };
}
