/**
 * Multisig descriptors: a policy and the members' public keys, ascending by key hash. The address
 * commits to the key hashes alone, so a spend shows only the keys that sign; `docs/protocol.md` 3.
 */
import { ADDRESS_BYTES, ID_BYTES, PUBLIC_KEY_BYTES } from '../../assembly/transaction/layout.ts';
import { compareBytes, concatBytes, fromHex, toHex } from '../base/bytes.ts';
import { expectArray, Fields, parseDecimal } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/json.ts';
import { LABELS } from '../base/labels.ts';
import { expectNetwork } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import { hashLabel, keyHash } from '../kernel/hash-label.ts';
import { ADDRESS_TYPES, encodeAddress } from '../text/address.ts';
import { expectPolicy } from './policy.ts';

const MEMBERS_MAX = 5;
const THRESHOLD_RANGE = { max: 255n };

export interface Member {
  readonly publicKey: Uint8Array;
  readonly keyHash: Uint8Array;
}

/** A descriptor that has been checked: members ascend and are distinct, the policy is known. */
export interface MultisigDescriptor {
  readonly threshold: number;
  readonly members: readonly Member[];
}

export interface DescriptorDocument {
  readonly threshold: string;
  readonly members: readonly string[];
}

function readMembers(values: readonly Json[], path: string): Member[] {
  return values.map((value, i) => {
    const publicKey = fromHex(value as string, `${path}[${i}]`, PUBLIC_KEY_BYTES);
    return { publicKey, keyHash: keyHash(publicKey) };
  });
}

function expectAscending(members: readonly Member[], path: string): void {
  for (const [i, member] of members.entries()) {
    const previous = members[i - 1];
    if (previous === undefined) continue;
    const order = compareBytes(previous.keyHash, member.keyHash);
    if (order < 0) continue;
    const found = order === 0 ? 'the key occurs twice' : 'keys do not ascend by key hash';
    throw new SvcError('bad_policy', found, { path: `${path}[${i}]` });
  }
}

/** Checks policy and order of members whose key hashes are known. */
export function makeDescriptor(
  threshold: bigint,
  members: readonly Member[],
  path: string,
): MultisigDescriptor {
  const policy = expectPolicy(threshold, BigInt(members.length), path);
  expectAscending(members, path);
  return { threshold: policy.threshold, members };
}

/** The one canonical document of a descriptor. */
export function showDescriptor({ threshold, members }: MultisigDescriptor): DescriptorDocument {
  return {
    threshold: String(threshold),
    members: members.map(({ publicKey }) => toHex(publicKey)),
  };
}

function toJson(descriptor: MultisigDescriptor): string {
  return JSON.stringify(showDescriptor(descriptor));
}

/** Checks a descriptor given as JSON. Members in another order are refused, not sorted. */
export function parseMultisigDescriptor(descriptorJson: string): MultisigDescriptor {
  const fields = Fields.parse(descriptorJson, 'descriptor', ['threshold', 'members']);
  const threshold = fields.decimal('threshold', THRESHOLD_RANGE);
  const values = fields.array('members', MEMBERS_MAX);
  const path = fields.at('members');
  return makeDescriptor(threshold, readMembers(values, path), path);
}

/** Makes a descriptor from public keys in any order. */
export function createMultisigDescriptor(threshold: string, membersJson: string): string {
  const checked = parseDecimal(threshold, 'threshold', THRESHOLD_RANGE);
  const values = expectArray(parseJson(membersJson, 'members'), 'members', MEMBERS_MAX);
  const members = readMembers(values, 'members').sort((a, b) => compareBytes(a.keyHash, b.keyHash));
  return toJson(makeDescriptor(checked, members, 'members'));
}

/** Checks a descriptor and returns its canonical JSON. */
export function validateMultisigDescriptor(descriptorJson: string): string {
  return toJson(parseMultisigDescriptor(descriptorJson));
}

/** Threshold, number of members and key hashes: what an address hashes and a witness repeats. */
export function policyBytes({ threshold, members }: MultisigDescriptor): Uint8Array {
  const head = Uint8Array.of(threshold, members.length);
  return concatBytes(head, ...members.map((member) => member.keyHash));
}

export function multisigAddressBytes(descriptor: MultisigDescriptor): Uint8Array {
  const address = new Uint8Array(ADDRESS_BYTES);
  address[0] = ADDRESS_TYPES.multisig;
  address.set(hashLabel(LABELS.multisig, policyBytes(descriptor)), ADDRESS_BYTES - ID_BYTES);
  return address;
}

export function multisigAddress(descriptorJson: string, network: string): string {
  const known = expectNetwork(network, 'network');
  return encodeAddress(multisigAddressBytes(parseMultisigDescriptor(descriptorJson)), known);
}
