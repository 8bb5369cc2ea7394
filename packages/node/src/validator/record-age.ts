/**
 * Whether a record of signatures is older than the chain beside it. A record is durable before a signature leaves, so a
 * chain that holds a signature of the key which the record does not reach was signed with a newer record: this one was
 * put back from a copy.
 */
import { type CommitCertificate, isBitSet, type SignState } from 'svc-consensus/machine';

type Record = Pick<SignState, 'silentThrough' | 'last'>;
type Certificate = Pick<CommitCertificate, 'height' | 'signers'>;

/** `certificate` is that of the head, `own` the key's place in the set that signed it. */
export function isOlderThanChain(
  record: Record,
  certificate: Certificate | undefined,
  own: number | undefined,
): boolean {
  if (certificate === undefined || own === undefined) return false;
  if (!isBitSet(certificate.signers, own)) return false;
  const { height } = certificate;
  // A new record that is still silent reaches no signature of the lost one, and says so.
  return record.silentThrough < height && (record.last?.height ?? 0) < height;
}
