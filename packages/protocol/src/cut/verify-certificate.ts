/**
 * Has the kernel decide whether a certificate proves its cut; `docs/protocol.md` 8.3. One call
 * checks header, set, bitmap, stake and every signature, the dearest last.
 */
import {
  CERTIFICATE_BYTES_MAX,
  CHECKED_CUT_ID,
  CHECKED_HEIGHT,
  CHECKED_SIGNED_STAKE,
  CHECKED_SIGNERS,
  CHECKED_TOTAL_STAKE,
  CUT_HEADER_BYTES,
  PART_HEADER,
  PART_SET,
  SET_BYTES_MAX,
} from '../../assembly/cut/layout.ts';
import { copyBytes, expectBytes } from '../base/bytes.ts';
import { ID_BYTES } from '../base/sizes.ts';
import type { SvcError } from '../base/svc-error.ts';
import { kernel } from '../kernel/current.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import type { Certificate, PolkaCertificate } from './certificate.ts';
import { decodeCertificateHead, encodeCertificate, encodePolkaCertificate } from './certificate.ts';
import {
  CERTIFICATE_AT,
  CHAIN_ID_AT,
  HEADER_AT,
  placeBytes,
  SET_AT,
  SLOTS_AT,
} from './kernel-input.ts';
import { expandedKeysOf } from './signature.ts';
import { signerIndexes } from './signers.ts';
import type { ValidatorSet } from './validator-set.ts';
import { VOTE_KINDS, type VoteKind } from './vote.ts';

/** The facts that a checked certificate proves. */
export interface CertificateFacts {
  readonly cutId: Uint8Array;
  readonly height: bigint;
  readonly signedStake: bigint;
  readonly totalStake: bigint;
  readonly signers: bigint;
}

/** Refuses a commit certificate that does not hold; returns the stake of its signers. */
export function checkCertificate(
  certificate: Certificate,
  set: ValidatorSet,
  chainId: Uint8Array,
): bigint {
  return checkVotes('precommit', encodeCertificate(certificate), set, chainId).signedStake;
}

/** Refuses a polka certificate that does not hold; returns the stake of its signers. */
export function checkPolkaCertificate(
  polka: PolkaCertificate,
  set: ValidatorSet,
  chainId: Uint8Array,
): bigint {
  return checkVotes('prevote', encodePolkaCertificate(polka), set, chainId).signedStake;
}

/**
 * Checks the bytes of a certificate of votes of the given kind, whatever cut it names, and throws if it does not
 * hold.
 */
export function checkVotes(
  kind: VoteKind,
  certificate: Uint8Array,
  set: ValidatorSet,
  chainId: Uint8Array,
): CertificateFacts {
  return check(kind, undefined, certificate, set, chainId);
}

/** Refuses unless header, certificate and set belong together and the signatures hold. */
export function checkCut(
  header: Uint8Array,
  certificate: Uint8Array,
  set: ValidatorSet,
  chainId: Uint8Array,
): CertificateFacts {
  const taken = expectBytes(header, 'header', CUT_HEADER_BYTES);
  return check('precommit', taken, certificate, set, chainId);
}

function check(
  kind: VoteKind,
  header: Uint8Array | undefined,
  certificate: Uint8Array,
  set: ValidatorSet,
  chainId: Uint8Array,
): CertificateFacts {
  const path = kind === 'precommit' ? 'certificate' : 'polka';
  const instance = kernel();
  const { bytes, input } = instance;
  const taken = expectBytes(certificate, path).subarray(0, CERTIFICATE_BYTES_MAX + 1);
  placeSlots(instance, set, decodeCertificateHead(kind, taken, path).signers);
  bytes.set(expectBytes(chainId, 'chainId', ID_BYTES), input + CHAIN_ID_AT);
  if (header !== undefined) bytes.set(header, input + HEADER_AT);
  const setBytes = placeBytes(bytes, input + SET_AT, set.encoded, SET_BYTES_MAX);
  const error = instance.invoke((exports) =>
    exports.certificateCheck(
      VOTE_KINDS[kind],
      header === undefined ? 0 : input + HEADER_AT,
      header === undefined ? 0 : CUT_HEADER_BYTES,
      input + CERTIFICATE_AT,
      taken.length,
      input + SET_AT,
      setBytes,
      input + CHAIN_ID_AT,
      input + SLOTS_AT,
    ),
  );
  if (error !== 0) throw faultOf(instance, error, path);
  return readCertified(instance);
}

/**
 * Writes the addresses of the signers' expanded keys; the kernel does not read the entries of other members.
 */
function placeSlots(instance: KernelInstance, set: ValidatorSet, signers: bigint): void {
  const indexes = signerIndexes(signers).filter((index) => index < set.validators.length);
  const slots = expandedKeysOf(instance, set, indexes);
  const first = instance.input + SLOTS_AT;
  indexes.forEach((validator, index) => {
    instance.view.setUint32(first + 4 * validator, slots[index] as number, true);
  });
}

function faultOf({ exports }: KernelInstance, error: number, path: string): SvcError {
  const part = exports.cutFaultPart();
  const index = exports.cutFaultIndex();
  if (part === PART_HEADER) return kernelError(error, index, 'header');
  return kernelError(error, index, part === PART_SET ? 'validatorSet' : path);
}

function readCertified({ bytes, view, output }: KernelInstance): CertificateFacts {
  return {
    cutId: copyBytes(bytes, output + CHECKED_CUT_ID, ID_BYTES),
    height: view.getBigUint64(output + CHECKED_HEIGHT, true),
    signedStake: view.getBigUint64(output + CHECKED_SIGNED_STAKE, true),
    totalStake: view.getBigUint64(output + CHECKED_TOTAL_STAKE, true),
    signers: view.getBigUint64(output + CHECKED_SIGNERS, true),
  };
}
