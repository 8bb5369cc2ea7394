/**
 * Shows packages: taken apart as they are, or reviewed under a manifest before a member signs.
 */
import { equalBytes, toHex } from '../base/bytes.ts';
import type { Network } from '../base/networks.ts';
import { encodeAddress } from '../text/address.ts';
import type { MultisigProfile } from '../transaction/profiles.ts';
import type { DescriptorDocument } from './descriptor.ts';
import { showDescriptor } from './descriptor.ts';
import { decodePackage, PACKAGE_TAGS, templateDigest } from './package-codec.ts';
import { memberAt, openPackage } from './package-open.ts';
import type { SigningOptions } from './signing-options.ts';
import { expectFeeCovered } from './signing-options.ts';

/** What `decodeMultisigPackage` returns. */
export interface PackageDocument {
  readonly format: string;
  readonly witness_profile: MultisigProfile;
  readonly template_digest: string;
  readonly descriptor: DescriptorDocument;
  readonly body_hex: string;
  readonly input_amounts: readonly string[];
  /** For each member that has signed, one signature for each input that is not repeated. */
  readonly signatures: readonly {
    readonly member: string;
    readonly signatures_hex: readonly string[];
  }[];
}

/** What `reviewMultisigPackage` returns. Integers are decimal strings, amounts are atoms. */
export interface PackageReview {
  readonly format: string;
  readonly witness_profile: MultisigProfile;
  /** What `multisigPackageSigningMessages` asks for: it commits everything shown here. */
  readonly template_digest: string;
  readonly network: Network;
  readonly transaction_id: string;
  readonly address: string;
  readonly descriptor: DescriptorDocument;
  readonly inputs: readonly {
    readonly transaction_id: string;
    readonly output_index: string;
    readonly amount: string;
  }[];
  readonly recipients: readonly {
    readonly address: string;
    readonly amount: string;
    /** The output goes back to the multisig address. */
    readonly is_change: boolean;
  }[];
  readonly payload_hex: string;
  readonly valid_from_height: string;
  readonly valid_until_height: string;
  readonly fee: string;
  /** The body itself declares the fee, so that every signature covers it; otherwise it is what the amounts leave. */
  readonly is_fee_declared: boolean;
  readonly minimum_fee: string;
  readonly mass: string;
  readonly wire_bytes: string;
  /** Members whose signatures are inside; each has been verified. */
  readonly signed_by: readonly { readonly member: string; readonly public_key_hex: string }[];
  readonly signatures_missing: string;
}

/** Takes a package apart. A package names no chain, so nothing here says that its body fits one. */
export function decodeMultisigPackage(packageBytes: Uint8Array): string {
  const content = decodePackage(packageBytes);
  const document: PackageDocument = {
    format: PACKAGE_TAGS[content.profile],
    witness_profile: content.profile,
    template_digest: toHex(templateDigest(content)),
    descriptor: showDescriptor(content.descriptor),
    body_hex: toHex(content.body),
    input_amounts: content.amounts.map(String),
    signatures: [...content.signatures].map(([member, signatures]) => ({
      member: String(member),
      signatures_hex: signatures.map(toHex),
    })),
  };
  return JSON.stringify(document);
}

/** What a person must see before a key signs, computed from the bytes that would be signed. */
export function reviewMultisigPackage(
  packageBytes: Uint8Array,
  manifestJson: string,
  options?: SigningOptions,
): string {
  const { content, manifest, body, address, fee, quote } = openPackage(packageBytes, manifestJson);
  expectFeeCovered(body, options, 'package.body');
  const { network } = manifest;
  const review: PackageReview = {
    format: PACKAGE_TAGS[content.profile],
    witness_profile: content.profile,
    template_digest: toHex(templateDigest(content)),
    network,
    transaction_id: toHex(body.id),
    address: encodeAddress(address, network),
    descriptor: showDescriptor(content.descriptor),
    inputs: body.inputs.map(({ transactionId, outputIndex }, i) => ({
      transaction_id: toHex(transactionId),
      output_index: String(outputIndex),
      amount: String(content.amounts[i]),
    })),
    recipients: body.outputs.map((output) => ({
      address: encodeAddress(output.address, network),
      amount: String(output.amount),
      is_change: equalBytes(output.address, address),
    })),
    payload_hex: toHex(body.payload),
    valid_from_height: String(body.validFrom),
    valid_until_height: String(body.validUntil),
    fee: String(fee),
    is_fee_declared: body.declaredFee !== null,
    minimum_fee: quote.minimum_fee,
    mass: quote.mass,
    wire_bytes: quote.wire_bytes,
    signed_by: [...content.signatures.keys()].map((member) => ({
      member: String(member),
      public_key_hex: toHex(memberAt(content, member).publicKey),
    })),
    signatures_missing: String(content.descriptor.threshold - content.signatures.size),
  };
  return JSON.stringify(review);
}
