/**
 * What the tests of multisig packages work with: a policy's members, a payment from their address,
 * and members who review before they sign.
 */
import { fromHex, toHex } from '../src/base/bytes.ts';
import { CONTEXTS } from '../src/base/labels.ts';
import { createMultisigDescriptor, multisigAddress } from '../src/multisig/descriptor.ts';
import {
  createMultisigPackage,
  createReferencedMultisigPackage,
} from '../src/multisig/package-create.ts';
import type { PackageReview } from '../src/multisig/package-review.ts';
import { reviewMultisigPackage } from '../src/multisig/package-review.ts';
import {
  addMultisigPackageSignatures,
  multisigPackageSigningMessages,
} from '../src/multisig/package-sign.ts';
import type { Person } from './transaction-fixture.ts';
import {
  bodyOf,
  manifestWith,
  NETWORK,
  outpoint,
  person,
  signWith,
} from './transaction-fixture.ts';

export const PROFILES = ['multisig_inline', 'multisig_referenced'] as const;
export const POLICIES = [
  { threshold: 2, members: 3 },
  { threshold: 3, members: 5 },
] as const;

export interface Vault {
  readonly manifestJson: string;
  readonly descriptor: string;
  readonly address: string;
  /** The members in the order of the descriptor. */
  readonly members: readonly Person[];
  readonly amounts: readonly string[];
  readonly body: Uint8Array;
}

/** A payment of 5 coins out of two outputs of 3 and 4 coins, with change and a declared fee of 0.01. */
export function vaultOf(threshold: number, members: number): Vault {
  const manifest = manifestWith();
  const people = Array.from({ length: members }, (_, i) => person(20 + i));
  const keys = people.map(({ publicKey }) => toHex(publicKey));
  const descriptor = createMultisigDescriptor(String(threshold), JSON.stringify(keys));
  const order = (JSON.parse(descriptor) as { members: string[] }).members;
  const address = multisigAddress(descriptor, NETWORK);
  const outputs = [
    { address: person(1).address, amount: '500000000' },
    { address, amount: '199000000' },
  ];
  return {
    manifestJson: manifest.json,
    descriptor,
    address,
    members: order.map((key) => people[keys.indexOf(key)] as Person),
    amounts: ['300000000', '400000000'],
    body: bodyOf({ fee: '1000000', inputs: [outpoint(0), outpoint(1)], outputs }, manifest),
  };
}

export function packageOf(vault: Vault, profile: (typeof PROFILES)[number]): Uint8Array {
  const create =
    profile === 'multisig_inline' ? createMultisigPackage : createReferencedMultisigPackage;
  return create(vault.descriptor, vault.body, JSON.stringify(vault.amounts), vault.manifestJson);
}

export function review(packageBytes: Uint8Array, vault: Vault): PackageReview {
  return JSON.parse(reviewMultisigPackage(packageBytes, vault.manifestJson)) as PackageReview;
}

/** One signature for each input, as the list that a package takes. */
export function signaturesBy(signer: Person, packageBytes: Uint8Array, vault: Vault): string {
  const digest = review(packageBytes, vault).template_digest;
  const messages = JSON.parse(
    multisigPackageSigningMessages(packageBytes, digest, vault.manifestJson),
  ) as string[];
  const signatures = messages.map((message) => signWith(signer, fromHex(message), CONTEXTS.spend));
  return JSON.stringify(signatures.map(toHex));
}

/** Reviews, signs and adds, as a member does. */
export function signedBy(packageBytes: Uint8Array, vault: Vault, ...indexes: number[]): Uint8Array {
  return indexes.reduce((current, index) => {
    const member = vault.members[index] as Person;
    const signatures = signaturesBy(member, current, vault);
    return addMultisigPackageSignatures(current, member.publicKey, signatures, vault.manifestJson);
  }, packageBytes);
}
