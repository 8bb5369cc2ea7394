/**
 * What a package of a shared wallet pays. Everything is read from the bytes that are signed; the state only says
 * alone whether the inputs are there.
 */

import type { MethodResult } from 'svc-api/rpc';
import {
  decodeRecipientPayloads,
  formatAmount,
  type PackageReview,
  type RecipientPayload,
  reviewMultisigPackage,
  SvcError,
} from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { coinsOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import type { SharedPolicy } from '../keys/fixed-addresses.ts';
import type { State } from '../state/open-state.ts';

export type ReviewDocument = MethodResult<'shared_review'>;

export interface ReviewedPackage {
  readonly bytes: Uint8Array;
  readonly review: PackageReview;
  readonly document: ReviewDocument;
}

export interface ReviewPorts {
  readonly state: Pick<State, 'outputs'>;
  readonly policy: SharedPolicy;
  readonly ownMember: number | null;
  readonly manifest: string;
}

/**
 * How far ahead of the chain, as the node of this device reports it, a payment may begin. A proposal begins where the chain
 * is for the device that makes it; the node of another one may be behind, here by a minute of mainnet.
 */
const AHEAD_CUTS_MAX = 24;

/** Calls the protocol module about a package, and throws its refusal as one of the package. */
export function aboutPackage<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw refusedPackage(path, cause.message, cause);
  }
}

export function refusedPackage(path: string, message: string, cause?: unknown): WalletError {
  return new WalletError('package_refused', message, {
    path,
    ...(cause instanceof SvcError ? { details: { reason: cause.code } } : {}),
    cause,
  });
}

/** Throws `package_refused` for a package of another wallet and for one without a declared fee. */
export function reviewPackage(ports: ReviewPorts, hex: string, path: string): ReviewedPackage {
  const bytes = aboutPackage(path, () => fromHex(hex));
  const review = aboutPackage(
    path,
    () => JSON.parse(reviewMultisigPackage(bytes, ports.manifest)) as PackageReview,
  );
  if (review.address !== ports.policy.address) {
    throw refusedPackage(path, `the package pays from ${review.address}, which is another wallet`);
  }
  if (!review.is_fee_declared) throw refusedPackage(path, 'the package does not declare its fee');
  return { bytes, review, document: documentOf(review, ports) };
}

/**
 * Throws `package_refused` for what no wallet proposes, whatever a person has agreed to: a payload, and a
 * payment that cannot be executed yet.
 */
export function expectPlainPayment(
  { payloads, valid_from_height }: ReviewDocument,
  path: string,
  height: number,
): void {
  if (payloads.length > 0) {
    throw refusedPackage(path, 'the package carries a payload, which no proposal has');
  }
  if (valid_from_height > height + AHEAD_CUTS_MAX) {
    const found = `the payment begins at height ${valid_from_height}, and the chain is at ${height} for the node of this wallet`;
    throw refusedPackage(path, found);
  }
}

function documentOf(review: PackageReview, { ownMember, state }: ReviewPorts): ReviewDocument {
  const { inputs, recipients } = review;
  const shown = (isChange: boolean): { to: string; amount: string }[] =>
    recipients
      .filter(({ is_change }) => is_change === isChange)
      .map(({ address, amount }) => ({ to: address, amount: formatAmount(amount) }));
  const spent = inputs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return {
    digest: review.template_digest,
    transaction: review.transaction_id,
    address: review.address,
    payments: shown(false),
    change: shown(true),
    fee: formatAmount(review.fee),
    spent: coinsOf(spent),
    inputs: inputs.map(({ amount, output_index, transaction_id }) => {
      const own = state.outputs.find(transaction_id, Number(output_index));
      const isKnown = own?.spentHeight === null && own.amount === BigInt(amount);
      const output = Number(output_index);
      const coins = formatAmount(amount);
      return { transaction: transaction_id, output, amount: coins, known: isKnown };
    }),
    threshold: Number(review.descriptor.threshold),
    signed_by: review.signed_by.map(({ member }) => Number(member)),
    own_member: ownMember,
    signatures_missing: Number(review.signatures_missing),
    valid_from_height: Number(review.valid_from_height),
    valid_until_height: Number(review.valid_until_height),
    payloads: payloadsOf(review),
  };
}

function payloadsOf({ payload_hex, recipients }: PackageReview): ReviewDocument['payloads'] {
  if (payload_hex === '') return [];
  const whole = [{ output: null, payload_text: null, payload_hex }];
  try {
    const decoded = decodeRecipientPayloads(fromHex(payload_hex), recipients.length);
    return (JSON.parse(decoded) as RecipientPayload[]).map((entry) => ({
      output: Number(entry.output_index),
      payload_text: 'text' in entry ? entry.text : null,
      payload_hex: 'bytes_hex' in entry ? entry.bytes_hex : null,
    }));
  } catch (error) {
    if (error instanceof SvcError) return whole;
    throw error;
  }
}
