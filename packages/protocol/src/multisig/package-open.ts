/**
 * Opens a package under a manifest. Every function that shows, signs or changes a package calls
 * this: the body must be bound to the manifest, the fee must do, and each signature that is inside
 * must hold. All of it is computed from the decoded bytes.
 */
import { CONTEXTS, contextBytes } from '../base/labels.ts';
import { SvcError } from '../base/svc-error.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { encodeAddress } from '../text/address.ts';
import { spendMessage } from '../transaction/messages.ts';
import { quoteTransactionWithInputProfiles } from '../transaction/quote.ts';
import type { TransactionQuote } from '../transaction/request.ts';
import type { TransactionTable } from '../transaction/table.ts';
import { multisigAddressBytes } from './descriptor.ts';
import { decodePackageBody } from './package-body.ts';
import type { MultisigPackage, PackageTemplate } from './package-codec.ts';
import { decodePackage } from './package-codec.ts';

export interface OpenTemplate {
  readonly manifest: Manifest;
  readonly body: TransactionTable;
  /** The multisig address that every input spends from. */
  readonly address: Uint8Array;
  readonly fee: bigint;
  readonly quote: TransactionQuote;
  /** What the signers of each input that is not repeated sign. */
  readonly messages: readonly Uint8Array[];
}

export interface OpenPackage extends OpenTemplate {
  readonly content: MultisigPackage;
}

const spendContext = contextBytes(CONTEXTS.spend);

export function openTemplate(
  template: PackageTemplate,
  manifestJson: string,
  path = 'package',
): OpenTemplate {
  const manifest = parseManifest(manifestJson);
  const body = decodePackageBody(template.body, manifest);
  const quote = quoteTemplate(template, body, manifestJson);
  const fee = feeOf(template, body, BigInt(quote.minimum_fee), path);
  const address = multisigAddressBytes(template.descriptor);
  const shown = encodeAddress(address, manifest.network);
  const messages = body.signedInputs.map((i) => {
    const amount = String(template.amounts[i]);
    const previousOutput = JSON.stringify({ address: shown, amount });
    return spendMessage(template.body, i, previousOutput, manifestJson);
  });
  return { manifest, body, address, fee, quote, messages };
}

export function openPackage(bytes: unknown, manifestJson: string, path = 'package'): OpenPackage {
  const content = decodePackage(bytes, path);
  const opened = openTemplate(content, manifestJson, path);
  for (const [member, signatures] of content.signatures) {
    const { publicKey } = memberAt(content, member);
    expectSignatures(opened, publicKey, signatures, `${path}.signatures[${member}]`);
  }
  return { content, ...opened };
}

export function memberAt({ descriptor }: PackageTemplate, index: number) {
  const member = descriptor.members[index];
  if (member !== undefined) return member;
  throw new SvcError('not_a_member', `there is no member ${index}`);
}

/** Refuses signatures of a member unless each holds for its input. */
export function expectSignatures(
  { messages }: OpenTemplate,
  publicKey: Uint8Array,
  signatures: readonly Uint8Array[],
  path: string,
): void {
  for (const [place, message] of messages.entries()) {
    const signature = signatures[place] as Uint8Array;
    if (mlDsa65.verify(publicKey, message, signature, { context: spendContext })) continue;
    throw new SvcError('bad_signature', 'not a signature of this member for this input', {
      path: `${path}[${place}]`,
    });
  }
}

function quoteTemplate(
  { profile, descriptor }: PackageTemplate,
  body: TransactionTable,
  manifestJson: string,
): TransactionQuote {
  const threshold = String(descriptor.threshold);
  const members = String(descriptor.members.length);
  const inputs = body.inputs.map((_, i) =>
    body.isRepeated(i) ? 'repeated' : { profile, threshold, members },
  );
  const quote = quoteTransactionWithInputProfiles(
    body.bytes,
    JSON.stringify({ inputs }),
    manifestJson,
  );
  return JSON.parse(quote) as TransactionQuote;
}

function feeOf(
  { amounts }: PackageTemplate,
  body: TransactionTable,
  minimum: bigint,
  path: string,
): bigint {
  const paid = amounts.reduce((sum, amount) => sum + amount, 0n);
  const moved = body.outputs.reduce((sum, { amount }) => sum + amount, 0n);
  if (paid < moved) {
    const found = `expected at least ${moved} atoms of inputs, found ${paid}`;
    throw new SvcError('insufficient_inputs', found, { path });
  }
  const fee = paid - moved;
  if (body.declaredFee !== null && body.declaredFee !== fee) {
    const found = `the body declares a fee of ${body.declaredFee} atoms, the input amounts leave ${fee}`;
    throw new SvcError('fee_mismatch', found, { path });
  }
  if (fee >= minimum) return fee;
  const found = `expected a fee of at least ${minimum} atoms, found ${fee}`;
  throw new SvcError('fee_too_low', found, { path });
}
