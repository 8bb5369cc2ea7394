/**
 * Moves the trust of a light client forward; `docs/protocol.md` 8.5.
 *
 * - Step by step: the trusted set signed a header that names the next set.
 * - Skipping: a later set signed a header of its own, and more than a third of the trusted stake is
 *   among the signers, so that at least one honest validator vouches for it.
 */
import { equalBytes, expectBytes, fromHex, toHex } from '../base/bytes.ts';
import { parseDecimal, U64_MAX } from '../base/fields.ts';
import { trustingPeriodMillis } from '../base/networks.ts';
import { CertifiedCut } from './certified-cut.ts';
import { expectThat } from './check.ts';
import type { CutHeader } from './cut-header.ts';
import { decodeCutHeader } from './cut-header.ts';
import { isHonestMinority, signerIndexes } from './signers.ts';
import type { TrustedSet } from './trusted-set.ts';
import { parseTrustedSet, trustedSetJson } from './trusted-set.ts';
import type { Validator, ValidatorSet } from './validator-set.ts';
import { decodeValidatorSet } from './validator-set.ts';
import { checkCut } from './verify-certificate.ts';

/** How far a header may be ahead of the caller's clock. */
export const CLOCK_DRIFT_MS_MAX = 10_000n;

/**
 * `now`, in Unix milliseconds as a decimal string, is the caller's clock; `nextSet` is the preimage
 * of the set to trust. Returns the new trusted set as JSON.
 */
export function advanceValidatorSet(
  trustedJson: string,
  header: Uint8Array,
  certificate: Uint8Array,
  nextSet: Uint8Array,
  now: string,
): string {
  const trusted = parseTrustedSet(trustedJson);
  const clock = parseDecimal(now, 'now', { max: U64_MAX });
  const headerBytes = expectBytes(header, 'header').slice();
  const encodedSet = expectBytes(nextSet, 'nextSet').slice();
  const decoded = decodeCutHeader(headerBytes);
  checkTimes(trusted, decoded, clock);
  const next = decodeValidatorSet(encodedSet, 'nextSet');
  const cutId = equalBytes(decoded.validatorSetId, trusted.set.id)
    ? step(trusted, headerBytes, decoded, certificate, next)
    : skip(trusted, headerBytes, decoded, certificate, next);
  return trustedSetJson({
    network: trusted.network,
    chainId: trusted.chainId,
    height: decoded.height,
    time: decoded.time,
    cutId,
    encodedSet,
  });
}

/**
 * Moves trust within an epoch, to a cut that was certified with the trusted set, which signs on: its signatures need
 * no second check. `now` is the caller's clock in Unix milliseconds.
 */
export function advanceWithinEpoch(
  trusted: TrustedSet,
  cut: CertifiedCut,
  now: bigint,
): TrustedSet {
  // Refuses what `certifyCut` did not return, look-alikes included.
  CertifiedCut.rootsOf(cut);
  checkTimes(trusted, cut, now);
  const setId = toHex(trusted.set.id);
  expectThat(
    cut.chainId === toHex(trusted.chainId) && cut.validatorSetId === setId,
    'not_trusted',
    'another chain or another set certified the cut',
    'cut',
  );
  expectThat(
    cut.nextValidatorSetId === setId,
    'wrong_validator_set',
    `the header names the next set ${cut.nextValidatorSetId}, found ${setId}`,
    'cut',
  );
  return { ...trusted, height: cut.height, time: cut.time, cutId: fromHex(cut.cutId) };
}

function checkTimes(
  trusted: TrustedSet,
  header: Pick<CutHeader, 'height' | 'time'>,
  now: bigint,
): void {
  const end = trusted.time + trustingPeriodMillis(trusted.network);
  expectThat(now < end, 'trust_expired', `the trusting period ended at ${end}`, 'trusted.time');
  const latest = now + CLOCK_DRIFT_MS_MAX;
  const inTime = header.time <= latest;
  expectThat(
    inTime,
    'not_trusted',
    `expected at most ${latest}, found ${header.time}`,
    'header.time',
  );
  const isNewer = header.height > trusted.height && header.time > trusted.time;
  expectThat(
    isNewer,
    'not_trusted',
    'the header is not newer than the trusted one',
    'header.height',
  );
}

function step(
  trusted: TrustedSet,
  headerBytes: Uint8Array,
  header: CutHeader,
  certificate: Uint8Array,
  next: ValidatorSet,
): Uint8Array {
  const expected = toHex(header.nextValidatorSetId);
  expectThat(
    equalBytes(header.nextValidatorSetId, next.id),
    'wrong_validator_set',
    `the header names the next set ${expected}, found ${toHex(next.id)}`,
    'nextSet',
  );
  return checkCut(headerBytes, certificate, trusted.set, trusted.chainId).cutId;
}

function skip(
  trusted: TrustedSet,
  headerBytes: Uint8Array,
  header: CutHeader,
  certificate: Uint8Array,
  next: ValidatorSet,
): Uint8Array {
  expectThat(
    equalBytes(header.nextValidatorSetId, header.validatorSetId),
    'not_trusted',
    'the last header of an epoch cannot be skipped to; take another one',
    'header.nextValidatorSetId',
  );
  const { cutId, signers } = checkCut(headerBytes, certificate, next, trusted.chainId);
  const stake = trustedStake(trusted.set, next, signers);
  expectThat(
    isHonestMinority(stake, trusted.set.totalStake),
    'not_trusted',
    `expected more than a third of the trusted stake ${trusted.set.totalStake}, found ${stake}`,
    'certificate.signers',
  );
  return cutId;
}

/** Trusted stake of the signers who have the same id and the same key in both sets. */
function trustedStake(trusted: ValidatorSet, next: ValidatorSet, signers: bigint): bigint {
  const known = new Map(trusted.validators.map((validator) => [toHex(validator.id), validator]));
  return signerIndexes(signers).reduce((sum, index) => {
    const signer = next.validators[index] as Validator;
    const before = known.get(toHex(signer.id));
    if (before === undefined || !equalBytes(before.publicKey, signer.publicKey)) return sum;
    return sum + before.stake;
  }, 0n);
}
