/**
 * Catching up: headers are linked by their ids, so one certificate at the end proves them all.
 */
import type { CertificateFault, VoteVerifier } from '../base/certificate.ts';
import { checkCertificate } from '../base/certificate.ts';
import type { CommitCertificate } from '../base/messages.ts';
import type { CutId, Height } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';

export const HEADERS_PER_REQUEST_MAX = 576;

/** The fields of a cut header that link it; `id` is the hash of all its bytes. */
export interface HeaderLink {
  readonly id: CutId;
  readonly height: Height;
  readonly parentId: CutId;
  readonly timeMs: bigint;
  readonly validatorSetId: string;
  readonly nextValidatorSetId: string;
}

export type HeaderChainFault =
  | CertificateFault
  | 'empty'
  | 'too_long'
  | 'broken_link'
  | 'broken_height'
  | 'time_not_monotone'
  | 'unexpected_set'
  | 'certificate_for_another_cut';

/** Checks headers that follow `trusted` and the certificate of the last one under its set. */
export function checkHeaderChain(
  trusted: HeaderLink,
  headers: readonly HeaderLink[],
  certificate: CommitCertificate,
  set: ValidatorSet,
  verify: VoteVerifier,
): HeaderChainFault | undefined {
  const last = headers[headers.length - 1];
  if (last === undefined) return 'empty';
  if (headers.length > HEADERS_PER_REQUEST_MAX) return 'too_long';
  const fault = checkLinks(trusted, headers);
  if (fault !== undefined) return fault;
  if (certificate.height !== last.height || certificate.value !== last.id)
    return 'certificate_for_another_cut';
  if (set.id !== last.validatorSetId) return 'unexpected_set';
  return checkCertificate(set, certificate, verify);
}

export function checkLinks(
  trusted: HeaderLink,
  headers: readonly HeaderLink[],
): HeaderChainFault | undefined {
  let before = trusted;
  for (const header of headers) {
    if (header.parentId !== before.id) return 'broken_link';
    if (header.height !== before.height + 1) return 'broken_height';
    if (header.timeMs <= before.timeMs) return 'time_not_monotone';
    if (header.validatorSetId !== before.nextValidatorSetId) return 'unexpected_set';
    before = header;
  }
  return undefined;
}
