/**
 * Following validator sets without the headers between: a header is believed if two thirds of its
 * own set signed it and either the trusted header names that set as its successor, or more than one
 * third of the trusted set's stake signed too. Trust older than the period needs a checkpoint.
 */
import { CLOCK_DRIFT_MS_MAX } from 'svc-wasm/protocol';
import type { CertificateFault, VoteVerifier } from '../base/certificate.ts';
import { checkCertificate } from '../base/certificate.ts';
import type { CommitCertificate } from '../base/messages.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import { hasHonest, membersOf, stakeOf } from '../base/validator-set.ts';
import type { HeaderLink } from './header-chain.ts';

/**
 * A set whose members can be compared across sets: each by the validator's id together with its consensus public key.
 * By the id alone an attacker could write a set with the trusted ids and keys of its own.
 */
export interface NamedSet {
  readonly set: ValidatorSet;
  readonly memberKeys: readonly string[];
}

export interface TrustedHeader {
  readonly header: HeaderLink;
  readonly members: NamedSet;
}

export interface LightClock {
  readonly nowMs: bigint;
  /** How long a header may be trusted: half of the time that stake stays bound after its owner leaves. */
  readonly trustingPeriodMs: bigint;
}

export type LightFault =
  | CertificateFault
  | 'trust_expired'
  | 'not_newer'
  | 'from_the_future'
  | 'unexpected_set'
  | 'certificate_for_another_cut'
  | 'too_little_overlap';

export function checkLightStep(
  trusted: TrustedHeader,
  target: TrustedHeader,
  certificate: CommitCertificate,
  { nowMs, trustingPeriodMs }: LightClock,
  verify: VoteVerifier,
): LightFault | undefined {
  const { header, members } = target;
  if (nowMs - trusted.header.timeMs >= trustingPeriodMs) return 'trust_expired';
  if (header.height <= trusted.header.height) return 'not_newer';
  if (header.timeMs <= trusted.header.timeMs) return 'not_newer';
  if (header.timeMs > nowMs + CLOCK_DRIFT_MS_MAX) return 'from_the_future';
  if (members.set.id !== header.validatorSetId) return 'unexpected_set';
  if (certificate.height !== header.height || certificate.value !== header.id)
    return 'certificate_for_another_cut';
  const fault = checkCertificate(members.set, certificate, verify);
  if (fault !== undefined) return fault;
  if (header.validatorSetId === trusted.header.validatorSetId) return undefined;
  if (header.height === trusted.header.height + 1)
    return header.validatorSetId === trusted.header.nextValidatorSetId
      ? undefined
      : 'unexpected_set';
  return overlaps(trusted.members, members, certificate) ? undefined : 'too_little_overlap';
}

function overlaps(trusted: NamedSet, target: NamedSet, certificate: CommitCertificate): boolean {
  let stake = 0n;
  for (const index of membersOf(certificate.signers)) {
    const member = target.memberKeys[index];
    const before = member === undefined ? -1 : trusted.memberKeys.indexOf(member);
    if (before !== -1) stake += stakeOf(trusted.set, before);
  }
  return hasHonest(trusted.set, stake);
}
