/**
 * A certificate with no more signers than it needs: a signature is 3,309 bytes, and more than two thirds
 * of the stake is enough for ever.
 */
import type { CommitteeMember } from 'svc-ledger';
import {
  type Certificate,
  decodeCertificate,
  encodeCertificate,
  isQuorum,
  signerIndexes,
} from 'svc-wasm/protocol';

/** Keeps the fewest signers that make a quorum, by falling stake and then by place in the set. */
export function trimCertificate(
  encoded: Uint8Array,
  members: readonly CommitteeMember[],
): Uint8Array {
  if (members.length === 1) return encoded;
  const certificate = decodeCertificate(encoded);
  const total = members.reduce((sum, { stake }) => sum + stake, 0n);
  const stakeOf = (index: number): bigint => members[index]?.stake ?? 0n;
  const byStake = signerIndexes(certificate.signers)
    .map((index, place) => ({ index, place }))
    .sort((a, b) => Number(stakeOf(b.index) - stakeOf(a.index)) || a.index - b.index);
  let stake = 0n;
  const kept = byStake.filter(({ index }) => {
    if (isQuorum(stake, total)) return false;
    stake += stakeOf(index);
    return true;
  });
  return isQuorum(stake, total) ? encodeCertificate(withSigners(certificate, kept)) : encoded;
}

function withSigners(
  certificate: Certificate,
  kept: readonly { index: number; place: number }[],
): Certificate {
  const ordered = kept.toSorted((a, b) => a.index - b.index);
  return {
    ...certificate,
    signers: ordered.reduce((bits, { index }) => bits | (1n << BigInt(index)), 0n),
    signatures: ordered.map(({ place }) => certificate.signatures[place] as Uint8Array),
  };
}
