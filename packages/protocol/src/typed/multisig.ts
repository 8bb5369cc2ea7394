/**
 * Typed calls about multisig addresses and the packages in which their payments travel from signer to signer.
 */

import { fromHex } from '../base/bytes.ts';
import type { Network } from '../base/networks.ts';
import * as descriptors from '../multisig/descriptor.ts';
import * as combining from '../multisig/package-combine.ts';
import * as completing from '../multisig/package-complete.ts';
import * as creating from '../multisig/package-create.ts';
import * as reviewing from '../multisig/package-review.ts';
import * as signing from '../multisig/package-sign.ts';
import type { SigningOptions } from '../multisig/signing-options.ts';
import type * as documents from './documents.ts';
import type { Address, TemplateDigest } from './fields.ts';
import { twin } from './twin.ts';

type Manifest = documents.Manifest;

/**
 * Makes a descriptor from public keys in any order: 2 of 3 or 3 of 5.
 * @example
 * const descriptor = createMultisigDescriptor(2, [alice, bob, carol]);
 */
export const createMultisigDescriptor = /* @__PURE__ */ twin<
  (threshold: number, members: readonly Uint8Array[]) => documents.MultisigDescriptor
>(descriptors.createMultisigDescriptor, ['text', 'json'], 'json');

/**
 * Checks a received descriptor.
 * @example
 * validateMultisigDescriptor(descriptor).threshold; // 2
 */
export const validateMultisigDescriptor = /* @__PURE__ */ twin<
  (descriptor: documents.MultisigDescriptor) => documents.MultisigDescriptor
>(descriptors.validateMultisigDescriptor, ['json'], 'json');

/**
 * The address of a descriptor.
 * @example
 * const shared = multisigAddress(descriptor, 'mainnet');
 */
export const multisigAddress = /* @__PURE__ */ twin<
  (descriptor: documents.MultisigDescriptor, network: Network) => Address
>(descriptors.multisigAddress, ['json', 'raw']);

type CreatePackage = (
  descriptor: documents.MultisigDescriptor,
  body: Uint8Array,
  inputAmounts: readonly bigint[],
  manifest: Manifest,
  options?: SigningOptions,
) => Uint8Array;

/**
 * Makes a package without signatures from a body and what its inputs are worth.
 * @example
 * const proposal = createMultisigPackage(descriptor, body, [500_000_000n], manifest);
 */
export const createMultisigPackage = /* @__PURE__ */ twin<CreatePackage>(
  creating.createMultisigPackage,
  ['json', 'raw', 'json', 'manifest', 'raw'],
);

/**
 * As `createMultisigPackage`, for members whose keys are all in the chain's registry.
 * @example
 * const proposal = createReferencedMultisigPackage(descriptor, body, [500_000_000n], manifest);
 */
export const createReferencedMultisigPackage = /* @__PURE__ */ twin<CreatePackage>(
  creating.createReferencedMultisigPackage,
  ['json', 'raw', 'json', 'manifest', 'raw'],
);

/**
 * Takes a package apart; nothing says that it fits a chain.
 * @example
 * decodeMultisigPackage(proposal).inputAmounts; // [500000000n]
 */
export const decodeMultisigPackage = /* @__PURE__ */ twin<
  (packageBytes: Uint8Array) => documents.MultisigPackage
>(reviewing.decodeMultisigPackage, ['raw'], 'json');

/**
 * What a person must see before a key signs, computed from the bytes that would be signed.
 * @example
 * const review = reviewMultisigPackage(proposal, manifest);
 * review.recipients[0]?.amount; // 400000000n
 */
export const reviewMultisigPackage = /* @__PURE__ */ twin<
  (
    packageBytes: Uint8Array,
    manifest: Manifest,
    options?: SigningOptions,
  ) => documents.PackageReview
>(reviewing.reviewMultisigPackage, ['raw', 'manifest', 'raw'], 'json');

const signingMessages = /* @__PURE__ */ twin<
  (
    packageBytes: Uint8Array,
    digest: TemplateDigest,
    manifest: Manifest,
    options?: SigningOptions,
  ) => readonly string[]
>(signing.multisigPackageSigningMessages, ['raw', 'raw', 'manifest', 'raw'], 'json');

/**
 * What a member signs, one message for each input that is not repeated. The digest is the one of the review that was shown.
 * @example
 * const messages = multisigPackageSigningMessages(proposal, review.templateDigest, manifest);
 * const signatures = messages.map((message) => root.sign(0, BRANCHES.receive, 0, message, true));
 */
export function multisigPackageSigningMessages(
  packageBytes: Uint8Array,
  digest: TemplateDigest,
  manifest: Manifest,
  options?: SigningOptions,
): readonly Uint8Array[] {
  return signingMessages(packageBytes, digest, manifest, options).map((hex) => fromHex(hex, ''));
}

/**
 * Adds the signatures of one member, after verifying them.
 * @example
 * const signed = addMultisigPackageSignatures(proposal, publicKey, signatures, manifest);
 */
export const addMultisigPackageSignatures = /* @__PURE__ */ twin<
  (
    packageBytes: Uint8Array,
    memberPublicKey: Uint8Array,
    signatures: readonly Uint8Array[],
    manifest: Manifest,
  ) => Uint8Array
>(signing.addMultisigPackageSignatures, ['raw', 'raw', 'json', 'manifest']);

/**
 * Joins what several signers sent back.
 * @example
 * const complete = combineMultisigPackages([ofAlice, ofCarol], manifest);
 */
export const combineMultisigPackages = /* @__PURE__ */ twin<
  (packages: readonly Uint8Array[], manifest: Manifest) => Uint8Array
>(combining.combineMultisigPackages, ['raw', 'manifest']);

/**
 * The transaction of a package that has enough signatures, verified as a node would.
 * @example
 * const wire = completeMultisigPackage(complete, manifest);
 */
export const completeMultisigPackage = /* @__PURE__ */ twin<
  (packageBytes: Uint8Array, manifest: Manifest) => Uint8Array
>(completing.completeMultisigPackage, ['raw', 'manifest']);
