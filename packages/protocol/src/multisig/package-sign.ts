/**
 * Signing a package: the messages for a member that has reviewed it, and adding signatures.
 */
import { ID_BYTES, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../../assembly/transaction/layout.ts';
import { equalBytes, expectBytes, fromHex, toHex } from '../base/bytes.ts';
import { expectArray } from '../base/fields.ts';
import { parseJson } from '../base/json.ts';
import { SvcError } from '../base/svc-error.ts';
import { encodePackage, templateDigest } from './package-codec.ts';
import type { OpenPackage } from './package-open.ts';
import { expectSignatures, openPackage } from './package-open.ts';
import type { SigningOptions } from './signing-options.ts';
import { expectFeeCovered } from './signing-options.ts';

const SIGNATURES_MAX = 256;

/**
 * What a member signs, as a list of hexadecimal messages of 48 bytes, one for each input that is not repeated, for
 * `WalletRoot.sign(…, true)`. `digest` is the template digest that was reviewed; any other one is refused, so that no
 * member signs an unseen package.
 */
export function multisigPackageSigningMessages(
  packageBytes: Uint8Array,
  digest: string,
  manifestJson: string,
  options?: SigningOptions,
): string {
  const reviewed = fromHex(digest, 'template_digest', ID_BYTES);
  const { body, content, messages } = openPackage(packageBytes, manifestJson);
  expectFeeCovered(body, options, 'package.body');
  if (equalBytes(reviewed, templateDigest(content))) return JSON.stringify(messages.map(toHex));
  throw new SvcError('wrong_digest', 'the package is not the one that was reviewed', {
    path: 'template_digest',
  });
}

/**
 * Adds the signatures of one member: a list of hexadecimal signatures, one for each signing message. Each is
 * verified first, and nothing is added unless all of them hold.
 */
export function addMultisigPackageSignatures(
  packageBytes: Uint8Array,
  memberPublicKey: Uint8Array,
  signaturesJson: string,
  manifestJson: string,
): Uint8Array {
  const opened = openPackage(packageBytes, manifestJson);
  const { content } = opened;
  const publicKey = expectBytes(memberPublicKey, 'member_public_key', PUBLIC_KEY_BYTES);
  const member = expectSigner(opened, publicKey);
  const signatures = readSignatures(signaturesJson, opened.messages.length);
  expectSignatures(opened, publicKey, signatures, 'signatures');
  const all = new Map(content.signatures).set(member, signatures);
  return encodePackage({ ...content, signatures: all });
}

/** The index of a member who may still sign. */
function expectSigner({ content }: OpenPackage, publicKey: Uint8Array): number {
  const { threshold, members } = content.descriptor;
  const path = 'member_public_key';
  const member = members.findIndex((known) => equalBytes(known.publicKey, publicKey));
  if (member < 0) {
    throw new SvcError('not_a_member', 'not a key of the descriptor', { path });
  }
  if (content.signatures.has(member)) {
    throw new SvcError('already_signed', `member ${member} has signed`, { path });
  }
  if (content.signatures.size >= threshold) {
    throw new SvcError('package_complete', `${threshold} members have signed`, { path });
  }
  return member;
}

function readSignatures(signaturesJson: string, expected: number): Uint8Array[] {
  const path = 'signatures';
  const values = expectArray(parseJson(signaturesJson, path), path, SIGNATURES_MAX);
  if (values.length !== expected) {
    const found = `expected ${expected} signatures, one for each message, found ${values.length}`;
    throw new SvcError('bad_length', found, { path });
  }
  return values.map((value, i) => fromHex(value as string, `${path}[${i}]`, SIGNATURE_BYTES));
}
