/**
 * An address of several people: 2 of 3 or 3 of 5. A payment travels between them as one text; each signs what was
 * shown to them, and a member with enough signatures submits.
 */
import {
  addMultisigPackageSignatures,
  combineMultisigPackages,
  completeMultisigPackage,
  createMultisigDescriptor,
  createMultisigPackage,
  fromHex,
  inspectTransaction,
  multisigAddress,
  multisigPackageSigningMessages,
  type Network,
  type PackageReview,
  reviewMultisigPackage,
  type TransactionInspection,
  toHex,
} from 'svc-wasm';
import type { Client } from '../client.ts';
import type { CallOptions } from '../routes/route-types.ts';
import type { Account } from './account.ts';
import { type PayingClient, planFor } from './pay.ts';

/** An address of several people, as each of them keeps it. */
export interface Multisig {
  readonly address: string;
  readonly threshold: number;
  readonly members: number;
  /** What every member keeps: without it the coins cannot be spent. */
  readonly descriptor: string;
}

/** A payment from an address of several people. */
export interface MultisigPayment extends CallOptions {
  readonly from: Multisig;
  readonly to: string;
  readonly amount: bigint;
}

/** Makes the address of several public keys; their order does not matter. */
export function createMultisig(
  threshold: number,
  publicKeys: readonly Uint8Array[],
  network: Network,
): Multisig {
  const keys = JSON.stringify(publicKeys.map((key) => toHex(key)));
  const descriptor = createMultisigDescriptor(String(threshold), keys);
  const address = multisigAddress(descriptor, network);
  return { address, threshold, members: publicKeys.length, descriptor };
}

/** Begins a payment. Returns the text that the members sign. */
export async function proposeMultisig(
  client: PayingClient,
  { from, to, amount, ...options }: MultisigPayment,
): Promise<string> {
  const { plan, rules } = await planFor(client, {
    address: from.address,
    to,
    amount,
    payloadHex: '',
    profile: {
      profile: 'multisig_inline',
      threshold: String(from.threshold),
      members: String(from.members),
    },
    options,
  });
  const amounts = JSON.stringify(plan.spent.map((output) => String(output.amount)));
  return toHex(createMultisigPackage(from.descriptor, plan.body, amounts, rules.manifest));
}

/** What a proposal pays; a member looks at it before signing. */
export async function reviewMultisig(
  client: Pick<Client, 'transactionsManifest'>,
  proposal: string,
  options: CallOptions = {},
): Promise<PackageReview> {
  const manifest = JSON.stringify(await client.transactionsManifest({}, options));
  return JSON.parse(reviewMultisigPackage(fromHex(proposal), manifest)) as PackageReview;
}

/** Signs a proposal that was reviewed: any other one is refused. Returns the text with the signature. */
export async function signMultisig(
  client: Pick<Client, 'transactionsManifest'>,
  proposal: string,
  { member, review }: { readonly member: Account; readonly review: PackageReview },
  options: CallOptions = {},
): Promise<string> {
  const manifest = JSON.stringify(await client.transactionsManifest({}, options));
  const bytes = fromHex(proposal);
  const messages = JSON.parse(
    multisigPackageSigningMessages(bytes, review.template_digest, manifest),
  ) as string[];
  const signatures = messages.map((message) => toHex(member.signSpend(fromHex(message))));
  const signed = JSON.stringify(signatures);
  return toHex(addMultisigPackageSignatures(bytes, member.publicKey, signed, manifest));
}

/** Joins what the members signed and submits the payment. Returns its transaction id. */
export async function submitMultisig(
  client: Pick<Client, 'submit' | 'transactionsManifest'>,
  signed: readonly string[],
  options: CallOptions = {},
): Promise<string> {
  const manifest = JSON.stringify(await client.transactionsManifest({}, options));
  const parts = signed.map((text) => fromHex(text));
  const wire = completeMultisigPackage(combineMultisigPackages(parts, manifest), manifest);
  const { transaction_id } = JSON.parse(
    inspectTransaction(wire, manifest),
  ) as TransactionInspection;
  await client.submit({ wire_hex: toHex(wire), transaction_id }, options);
  return transaction_id;
}
