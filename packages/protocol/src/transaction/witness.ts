/**
 * Encodes witnesses; `docs/protocol.md` 4.3. Nothing is signed or verified here.
 */
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../../assembly/transaction/layout.ts';
import { concatBytes, expectBytes } from '../base/bytes.ts';
import { expectArray, Fields } from '../base/fields.ts';
import { parseJson } from '../base/json.ts';
import { SvcError } from '../base/svc-error.ts';
import type { MultisigDescriptor } from '../multisig/descriptor.ts';
import { parseMultisigDescriptor, policyBytes } from '../multisig/descriptor.ts';
import type { MultisigProfile } from './profiles.ts';
import { expectKeyProfile, PROFILES } from './profiles.ts';

const SIGNATURES_MAX = 5;

/** A signature in the list that the multisig functions take. */
export interface MemberSignatureRequest {
  readonly member: string;
  readonly signature_hex: string;
}

export interface MemberSignature {
  readonly member: number;
  readonly signature: Uint8Array;
}

/** Encodes a witness of the profile `inline`. */
export function encodeWitness(publicKey: Uint8Array, signature: Uint8Array): Uint8Array {
  return concatBytes(
    Uint8Array.of(PROFILES.inline),
    expectBytes(publicKey, 'public_key', PUBLIC_KEY_BYTES),
    expectBytes(signature, 'signature', SIGNATURE_BYTES),
  );
}

/**
 * Encodes a witness of one key: `inline` with its public key, `referenced` without (null), or `repeated`, which has
 * neither key nor signature, for an input that the body marks as repeated.
 */
export function encodeWitnessWithProfile(
  profile: string,
  publicKey: Uint8Array | null,
  signature: Uint8Array | null,
): Uint8Array {
  const known = expectKeyProfile(profile, 'profile');
  if (known === 'inline') return encodeWitness(publicKey as Uint8Array, signature as Uint8Array);
  expectAbsent(publicKey, `a ${known} witness carries no public key`, 'public_key');
  if (known === 'referenced') {
    const bytes = expectBytes(signature, 'signature', SIGNATURE_BYTES);
    return concatBytes(Uint8Array.of(PROFILES.referenced), bytes);
  }
  expectAbsent(signature, 'a repeated witness carries no signature', 'signature');
  return Uint8Array.of(PROFILES.repeated);
}

function expectAbsent(value: unknown, message: string, path: string): void {
  if (value !== null && value !== undefined)
    throw new SvcError('unknown_profile', message, { path });
}

function readSignatures(
  signaturesJson: string,
  { members }: MultisigDescriptor,
): MemberSignature[] {
  const values = expectArray(parseJson(signaturesJson, 'signatures'), 'signatures', SIGNATURES_MAX);
  return values.map((value, i) => {
    const fields = new Fields(value, `signatures[${i}]`, ['member', 'signature_hex']);
    const member = Number(fields.decimal('member', { max: BigInt(members.length - 1) }));
    return { member, signature: fields.hex('signature_hex', SIGNATURE_BYTES) };
  });
}

/** Encodes a multisig witness from exactly as many signatures as the threshold asks for. */
export function encodeMultisigWitness(
  profile: MultisigProfile,
  descriptor: MultisigDescriptor,
  signatures: readonly MemberSignature[],
): Uint8Array {
  const { threshold, members } = descriptor;
  const distinct = new Map(signatures.map(({ member, signature }) => [member, signature]));
  if (signatures.length !== threshold || distinct.size !== threshold) {
    const found = `expected signatures of ${threshold} members, found ${signatures.length} of ${distinct.size}`;
    throw new SvcError('bad_signers', found, { path: 'signatures' });
  }
  const parts = [Uint8Array.of(PROFILES[profile]), policyBytes(descriptor)];
  const bitmap = [...distinct.keys()].reduce((bits, member) => bits | (1 << member), 0);
  parts.push(Uint8Array.of(bitmap));
  for (const [i, { publicKey }] of members.entries()) {
    const signature = distinct.get(i);
    if (signature === undefined) continue;
    if (profile === 'multisig_inline') parts.push(publicKey);
    parts.push(signature);
  }
  return concatBytes(...parts);
}

/** `signaturesJson` is a list of `MemberSignatureRequest`, in any order. */
export function encodeMultisigInlineWitness(
  descriptorJson: string,
  signaturesJson: string,
): Uint8Array {
  const descriptor = parseMultisigDescriptor(descriptorJson);
  const signatures = readSignatures(signaturesJson, descriptor);
  return encodeMultisigWitness('multisig_inline', descriptor, signatures);
}

/** As `encodeMultisigInlineWitness`, for members whose keys are all in the key registry. */
export function encodeMultisigReferencedWitness(
  descriptorJson: string,
  signaturesJson: string,
): Uint8Array {
  const descriptor = parseMultisigDescriptor(descriptorJson);
  const signatures = readSignatures(signaturesJson, descriptor);
  return encodeMultisigWitness('multisig_referenced', descriptor, signatures);
}
