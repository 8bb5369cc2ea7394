/**
 * Multisig packages as bytes; `docs/protocol.md` 5. A package is accepted whole or refused: tag,
 * body, policy, order of the keys, amounts, bitmaps. Whether its signatures hold and whether the
 * body belongs to a chain is decided in `package-open.ts`.
 */
import {
  PUBLIC_KEY_BYTES,
  SIGNATURE_BYTES,
  TRANSACTION_BYTES_MAX,
} from '../../assembly/transaction/layout.ts';
import { concatBytes, expectBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { Reader } from '../base/reader.ts';
import { SvcError } from '../base/svc-error.ts';
import { encodeUtf8 } from '../base/utf8.ts';
import { Writer } from '../base/writer.ts';
import { hashLabel, keyHash } from '../kernel/hash-label.ts';
import { ATOMS_MAX } from '../text/amount.ts';
import type { MultisigProfile } from '../transaction/profiles.ts';
import type { MultisigDescriptor } from './descriptor.ts';
import { makeDescriptor } from './descriptor.ts';
import { decodePackageBody } from './package-body.ts';
import { expectPolicy } from './policy.ts';

const PATH = 'package';
const TAG_BYTES = 8;
const PACKAGE_BYTES_MAX = 160 * 1024;

export const PACKAGE_TAGS: Readonly<Record<MultisigProfile, string>> = {
  multisig_inline: 'TRMSIGP1',
  multisig_referenced: 'TRMSIGP2',
};

/** Everything that is reviewed: what a template digest commits. */
export interface PackageTemplate {
  readonly profile: MultisigProfile;
  readonly body: Uint8Array;
  readonly descriptor: MultisigDescriptor;
  /** What each input is worth, in atoms. */
  readonly amounts: readonly bigint[];
}

export interface MultisigPackage extends PackageTemplate {
  /** By index of the member: one signature for each input that is not repeated. */
  readonly signatures: ReadonlyMap<number, readonly Uint8Array[]>;
}

function templateBytes({ profile, body, descriptor, amounts }: PackageTemplate): Uint8Array {
  const { threshold, members } = descriptor;
  const writer = new Writer()
    .raw(encodeUtf8(PACKAGE_TAGS[profile]))
    .counted(body)
    .u8(threshold)
    .u8(members.length)
    .raw(concatBytes(...members.map(({ publicKey }) => publicKey)));
  for (const amount of amounts) writer.u64(amount);
  return writer.finish();
}

export function templateDigest(template: PackageTemplate): Uint8Array {
  return hashLabel(LABELS.package, templateBytes(template));
}

export function encodePackage(value: MultisigPackage): Uint8Array {
  const signers = [...value.signatures.keys()].sort((a, b) => a - b);
  const bitmap = signers.reduce((bits, member) => bits | (1 << member), 0);
  const writer = new Writer().raw(templateBytes(value));
  for (const place of decodePackageBody(value.body).signedInputs.keys()) {
    writer.u8(bitmap);
    for (const member of signers) writer.raw(value.signatures.get(member)?.[place] as Uint8Array);
  }
  return writer.finish();
}

export function decodePackage(bytes: unknown, path = PATH): MultisigPackage {
  const taken = Uint8Array.from(expectBytes(bytes, path));
  if (taken.length > PACKAGE_BYTES_MAX) {
    throw new SvcError('bad_length', `expected at most ${PACKAGE_BYTES_MAX} bytes`, { path });
  }
  const reader = new Reader(taken, path);
  const profile = readProfile(reader, path);
  const body = reader.counted(TRANSACTION_BYTES_MAX);
  const { inputCount, signedInputs } = decodePackageBody(body);
  const descriptor = readDescriptor(reader, path);
  const amounts = Array.from({ length: inputCount }, () => reader.u64());
  expectAmounts(amounts, `${path}.input_amounts`);
  const signatures = readSignatures(reader, signedInputs.length, descriptor, path);
  reader.end();
  return { profile, body, descriptor, amounts, signatures };
}

function readProfile(reader: Reader, path: string): MultisigProfile {
  const tag = new TextDecoder().decode(reader.raw(TAG_BYTES));
  const profiles = Object.keys(PACKAGE_TAGS) as MultisigProfile[];
  const profile = profiles.find((name) => PACKAGE_TAGS[name] === tag);
  if (profile !== undefined) return profile;
  const expected = Object.values(PACKAGE_TAGS).join(' or ');
  throw new SvcError('bad_package', `expected it to begin with ${expected}`, { path });
}

function readDescriptor(reader: Reader, path: string): MultisigDescriptor {
  const threshold = BigInt(reader.u8());
  const { members } = expectPolicy(threshold, BigInt(reader.u8()), path);
  const keys = Array.from({ length: members }, () => reader.raw(PUBLIC_KEY_BYTES));
  const known = keys.map((publicKey) => ({ publicKey, keyHash: keyHash(publicKey) }));
  return makeDescriptor(threshold, known, path);
}

/** Each amount above zero and the sum within the maximum supply. */
export function expectAmounts(amounts: readonly bigint[], path: string): void {
  let sum = 0n;
  for (const [i, amount] of amounts.entries()) {
    const at = { path: `${path}[${i}]` };
    sum += amount;
    if (amount === 0n) throw new SvcError('zero_amount', 'expected an amount above zero', at);
    if (sum <= ATOMS_MAX) continue;
    throw new SvcError('amount_too_large', 'the amounts exceed the maximum supply', at);
  }
}

function readSignatures(
  reader: Reader,
  signedCount: number,
  descriptor: MultisigDescriptor,
  path: string,
): Map<number, Uint8Array[]> {
  const lists = new Map<number, Uint8Array[]>();
  let bitmap = 0;
  for (let input = 0; input < signedCount; input++) {
    const found = reader.u8();
    if (input === 0) {
      bitmap = found;
      for (const member of signersOf(bitmap, descriptor, path)) lists.set(member, []);
    }
    if (found !== bitmap) {
      throw new SvcError('bad_signers', 'not every input was signed by the same members', {
        path: `${path}.signatures[${input}]`,
      });
    }
    for (const list of lists.values()) list.push(reader.raw(SIGNATURE_BYTES));
  }
  return lists;
}

/** Members of a bitmap, lowest first: at most as many as the threshold. */
function signersOf(bitmap: number, descriptor: MultisigDescriptor, path: string): number[] {
  const { threshold, members } = descriptor;
  const signers = [0, 1, 2, 3, 4, 5, 6, 7].filter((member) => (bitmap >> member) & 1);
  if (signers.length <= threshold && bitmap >> members.length === 0) return signers;
  const expected = `expected at most ${threshold} signers among ${members.length} members`;
  throw new SvcError('bad_signers', expected, { path: `${path}.signatures[0]` });
}
