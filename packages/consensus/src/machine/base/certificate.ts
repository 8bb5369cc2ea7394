/**
 * Certificates: putting them together from votes, checking them as a whole, taking them apart.
 * Duplicate signers cannot be written down: a signer is a bit.
 */
import type {
  CommitCertificate,
  PolkaCertificate,
  Signature,
  UnsignedVote,
  Vote,
} from './messages.ts';
import { isWellFormed, withSignature } from './messages.ts';
import type { Bitmap, CutId } from './types.ts';
import { NO_ROUND } from './types.ts';
import type { ValidatorSet } from './validator-set.ts';
import {
  bitOf,
  isQuorum,
  isWithinSet,
  membersOf,
  stakeOf,
  stakeOfBitmap,
} from './validator-set.ts';

export type Certificate = CommitCertificate | PolkaCertificate;

/** Checks one signature by one validator of the set over one message. */
export type VoteVerifier = (vote: UnsignedVote, signature: Signature) => boolean;

export type CertificateFault =
  | 'malformed'
  | 'signers_outside_set'
  | 'signature_count'
  | 'no_quorum'
  | 'bad_signature';

export function checkCertificate(
  set: ValidatorSet,
  certificate: Certificate,
  verify: VoteVerifier,
): CertificateFault | undefined {
  if (!isWellFormed(votedBy(certificate, 0))) return 'malformed';
  if (!isWithinSet(set, certificate.signers)) return 'signers_outside_set';
  const signers = membersOf(certificate.signers);
  if (signers.length !== certificate.signatures.length) return 'signature_count';
  if (!isQuorum(set, stakeOfBitmap(set, certificate.signers))) return 'no_quorum';
  return signers.every((index, at) =>
    verify(votedBy(certificate, index), certificate.signatures[at] as Signature),
  )
    ? undefined
    : 'bad_signature';
}

/** The vote of one signer of the certificate. */
export function votedBy(certificate: Certificate, validatorIndex: number): UnsignedVote {
  const { height, round, value } = certificate;
  return certificate.kind === 'commitCertificate'
    ? { kind: 'precommit', height, round, validRound: NO_ROUND, value, validatorIndex }
    : { kind: 'prevote', height, round, validRound: certificate.validRound, value, validatorIndex };
}

export function votesOf(certificate: Certificate): Vote[] {
  return membersOf(certificate.signers).map((index, at) =>
    withSignature(votedBy(certificate, index), certificate.signatures[at] as Signature),
  );
}

/** The certificate of equal votes; the caller has counted the quorum. */
export function commitCertificateOf(votes: readonly Vote[], value: CutId): CommitCertificate {
  const { height, round } = votes[0] as Vote;
  return { kind: 'commitCertificate', height, round, value, ...signedPartOf(votes) };
}

export function polkaCertificateOf(votes: readonly Vote[], value: CutId): PolkaCertificate {
  const { height, round, validRound } = votes[0] as Vote;
  return { kind: 'polkaCertificate', height, round, validRound, value, ...signedPartOf(votes) };
}

function signedPartOf(votes: readonly Vote[]): { signers: Bitmap; signatures: Signature[] } {
  const ordered = [...votes].sort((a, b) => a.validatorIndex - b.validatorIndex);
  const signers = ordered.reduce((bits, vote) => bits | bitOf(vote.validatorIndex), 0n);
  return { signers, signatures: ordered.map((vote) => vote.signature) };
}

/** Keeps the fewest signers that still are a quorum, by stake from the largest. */
export function trimCertificate<C extends Certificate>(set: ValidatorSet, certificate: C): C {
  const votes = votesOf(certificate).sort((a, b) => {
    const difference = stakeOf(set, b.validatorIndex) - stakeOf(set, a.validatorIndex);
    return difference === 0n ? a.validatorIndex - b.validatorIndex : difference > 0n ? 1 : -1;
  });
  let stake = 0n;
  let count = 0;
  while (count < votes.length && !isQuorum(set, stake)) {
    stake += stakeOf(set, (votes[count] as Vote).validatorIndex);
    count += 1;
  }
  return { ...certificate, ...signedPartOf(votes.slice(0, count)) };
}
