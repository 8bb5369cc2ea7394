/**
 * Cuts, votes, proposals, certificates, evidence and validator sets. Signatures are arbitrary bytes:
 * only the form is encoded.
 */
import { compareBytes } from '../../src/base/bytes.ts';
import type { Certificate } from '../../src/cut/certificate.ts';
import {
  decodeCertificate,
  decodePolkaCertificate,
  encodeCertificate,
  encodePolkaCertificate,
} from '../../src/cut/certificate.ts';
import { decodeCutBody, encodeCutBody } from '../../src/cut/cut-body.ts';
import { decodeCutHeader, encodeCutHeader } from '../../src/cut/cut-header.ts';
import type { Evidence } from '../../src/cut/evidence.ts';
import {
  decodeEvidence,
  encodeEvidence,
  evidenceOfProposals,
  evidenceOfVotes,
} from '../../src/cut/evidence.ts';
import type { Proposal } from '../../src/cut/proposal.ts';
import { decodeProposal, encodeProposal } from '../../src/cut/proposal.ts';
import { signersOf } from '../../src/cut/signers.ts';
import { decodeValidatorSet, encodeValidatorSet } from '../../src/cut/validator-set.ts';
import type { Vote } from '../../src/cut/vote.ts';
import { decodeVote, encodeVote } from '../../src/cut/vote.ts';
import type { Codec } from './codec.ts';
import type { Random } from './random.ts';

const SIGNATURE_BYTES = 3309;
const ROUND_MAX = 0x7fff_ffff;

function anyRound(random: Random): number {
  return random.chance(10) ? random.pick([0, ROUND_MAX]) : random.below(8);
}

export function anyVote(random: Random): Vote {
  const kind = random.pick(['prevote', 'precommit'] as const);
  const round = anyRound(random);
  const cutId = random.chance(25) ? undefined : random.bytes(48);
  const carries = kind === 'prevote' && cutId !== undefined && random.chance(40);
  return {
    kind,
    height: random.u64(),
    round,
    validRound: carries ? random.between(-1, round - 1) : -1,
    cutId,
    validatorIndex: random.below(64),
    validatorSetId: random.bytes(48),
    signature: random.bytes(SIGNATURE_BYTES),
  };
}

export function anyProposal(random: Random): Proposal {
  const round = anyRound(random);
  return {
    height: random.u64(),
    round,
    validRound: random.between(-1, round - 1),
    cutId: random.bytes(48),
    validatorIndex: random.below(64),
    validatorSetId: random.bytes(48),
    signature: random.bytes(SIGNATURE_BYTES),
  };
}

function anyEvidence(random: Random): Evidence {
  const change = { cutId: random.bytes(48), signature: random.bytes(SIGNATURE_BYTES) };
  if (random.chance(50)) {
    const proposal = anyProposal(random);
    return evidenceOfProposals(proposal, { ...proposal, ...change });
  }
  const vote = anyVote(random);
  return evidenceOfVotes(vote, { ...vote, ...change });
}

function anyCertificate(random: Random): Certificate {
  const members = [...new Set(random.list(1, 3, () => random.below(64)))];
  return {
    height: random.u64(),
    round: anyRound(random),
    cutId: random.bytes(48),
    validatorSetId: random.bytes(48),
    signers: signersOf(members),
    signatures: members.map(() => random.bytes(SIGNATURE_BYTES)),
  };
}

function anyPolka(random: Random): Uint8Array {
  const certificate = anyCertificate(random);
  const validRound = random.between(-1, certificate.round - 1);
  return encodePolkaCertificate({ ...certificate, validRound });
}

function anyCutHeader(random: Random): Uint8Array {
  const registeredCount = random.between(0, 256);
  return encodeCutHeader({
    protocolVersion: random.u32(),
    chainId: random.bytes(48),
    height: random.u64(),
    parentCutId: random.bytes(48),
    historyRoot: random.bytes(48),
    proposer: random.below(64),
    time: random.u64(),
    validatorSetId: random.bytes(48),
    nextValidatorSetId: random.bytes(48),
    previousRound: random.u32(),
    previousSigners: random.u64(),
    registeredRoot: random.bytes(48),
    registeredCount,
    registeredBytes: random.between(0, 64_000 * registeredCount),
    evidenceRoot: random.bytes(48),
    outcomeRoot: random.bytes(48),
    changesRoot: random.bytes(48),
    stateRoot: random.bytes(48),
    workTarget: random.bytes(32),
  });
}

function anyCutBody(random: Random): Uint8Array {
  const blockIds = random.list(0, random.chance(2) ? 256 : 8, () => random.bytes(48));
  const evidence = random.chance(20) ? random.list(0, 4, () => anyEvidence(random)) : [];
  return encodeCutBody({ blockIds, evidence });
}

export function anyValidatorSet(random: Random): Uint8Array {
  const validators = random.list(1, 3, () => ({
    id: random.bytes(48),
    publicKey: random.bytes(1952),
    stake: random.amount(),
  }));
  return encodeValidatorSet(validators.toSorted((a, b) => compareBytes(a.id, b.id)));
}

export const CUT_CODECS: readonly Codec[] = [
  {
    name: 'cut_header',
    generate: anyCutHeader,
    again: (bytes) => encodeCutHeader(decodeCutHeader(bytes)),
  },
  { name: 'cut_body', generate: anyCutBody, again: (bytes) => encodeCutBody(decodeCutBody(bytes)) },
  {
    name: 'vote',
    generate: (random) => encodeVote(anyVote(random)),
    again: (bytes) => encodeVote(decodeVote(bytes)),
  },
  {
    name: 'proposal',
    generate: (random) => encodeProposal(anyProposal(random)),
    again: (bytes) => encodeProposal(decodeProposal(bytes)),
  },
  {
    name: 'certificate',
    generate: (random) => encodeCertificate(anyCertificate(random)),
    again: (bytes) => encodeCertificate(decodeCertificate(bytes)),
  },
  {
    name: 'polka_certificate',
    generate: anyPolka,
    again: (bytes) => encodePolkaCertificate(decodePolkaCertificate(bytes)),
  },
  {
    name: 'evidence',
    generate: (random) => encodeEvidence(anyEvidence(random)),
    again: (bytes) => encodeEvidence(decodeEvidence(bytes)),
  },
  {
    name: 'validator_set',
    generate: anyValidatorSet,
    again: (bytes) => encodeValidatorSet(decodeValidatorSet(bytes).validators),
  },
];
