/**
 * Typed calls about transactions: bodies, quotes, messages to sign, witnesses and verification.
 */
import { validateManifest as manifestText } from '../manifest/manifest.ts';
import * as assembling from '../transaction/assemble.ts';
import * as encoding from '../transaction/encode-body.ts';
import * as bodies from '../transaction/inspect-body.ts';
import * as transactions from '../transaction/inspect-transaction.ts';
import * as messages from '../transaction/messages.ts';
import * as quotes from '../transaction/quote.ts';
import * as verifying from '../transaction/verify.ts';
import * as witnesses from '../transaction/witness.ts';
import type * as documents from './documents.ts';
import type { Address, TransactionId } from './fields.ts';
import { twin } from './twin.ts';

type Manifest = documents.Manifest;

const readManifest = /* @__PURE__ */ twin<(json: string) => Manifest>(
  manifestText,
  ['raw'],
  'json',
);

/**
 * Checks the manifest that a node serves. Keep the result: every other call about transactions takes it.
 * @example
 * const manifest = validateManifest(await (await fetch(`${node}/v1/transactions/manifest`)).text());
 * manifest.maxInputs; // 8
 */
export function validateManifest(json: string): Manifest {
  return Object.freeze(readManifest(json));
}

/**
 * Encodes the body of a transaction. Declare its `fee`: every signature then covers it.
 * @example
 * const body = encodeTransactionBody({
 *   validFromHeight: 1000n, validUntilHeight: 1100n, fee: 98_000n,
 *   inputs: [{ transactionId, outputIndex: 0 }],
 *   outputs: [{ address, amount: parseAmount('1.25') }],
 *   payload: new Uint8Array(0),
 * }, manifest);
 */
export const encodeTransactionBody = /* @__PURE__ */ twin<
  (request: documents.TransactionRequest, manifest: Manifest) => Uint8Array
>(encoding.encodeTransactionBody, ['json', 'manifest']);

/**
 * What a body says, for showing to the person who signs it.
 * @example
 * const { fee, outputs } = inspectTransactionBody(body, manifest);
 */
export const inspectTransactionBody = /* @__PURE__ */ twin<
  (body: Uint8Array, manifest: Manifest) => documents.BodyInspection
>(bodies.inspectTransactionBody, ['raw', 'manifest'], 'json');

/**
 * The id of a body, which it keeps when it is signed.
 * @example
 * const id = transactionId(body, manifest); // 'f1d2…', 96 characters
 */
export const transactionId = /* @__PURE__ */ twin<
  (body: Uint8Array, manifest: Manifest) => TransactionId
>(bodies.transactionId, ['raw', 'manifest']);

/**
 * Size, mass and minimum fee of a body whose witnesses show their keys.
 * @example
 * const { minimumFee } = quoteTransaction(body, manifest); // 97980n
 */
export const quoteTransaction = /* @__PURE__ */ twin<
  (body: Uint8Array, manifest: Manifest) => documents.TransactionQuote
>(quotes.quoteTransaction, ['raw', 'manifest'], 'json');

/**
 * As `quoteTransaction`, with a profile for each witness.
 * @example
 * quoteTransactionWithInputProfiles(body, { inputs: ['referenced'] }, manifest).minimumFee;
 */
export const quoteTransactionWithInputProfiles = /* @__PURE__ */ twin<
  (
    body: Uint8Array,
    inputProfiles: documents.InputProfiles,
    manifest: Manifest,
  ) => documents.TransactionQuote
>(quotes.quoteTransactionWithInputProfiles, ['raw', 'json', 'manifest'], 'json');

/**
 * As `quoteTransaction`, with witnesses that exist.
 * @example
 * quoteTransactionWithWitnesses(body, [witness], manifest).wireBytes;
 */
export const quoteTransactionWithWitnesses = /* @__PURE__ */ twin<
  (
    body: Uint8Array,
    witnesses: readonly Uint8Array[],
    manifest: Manifest,
  ) => documents.TransactionQuote
>(quotes.quoteTransactionWithWitnesses, ['raw', 'raw', 'manifest'], 'json');

/**
 * The 48 bytes that the key behind an input signs.
 * @example
 * const message = spendMessage(body, 0, { address, amount: 1_000_000_000n }, manifest);
 * const signature = root.sign(0, BRANCHES.receive, 0, message, true);
 */
export const spendMessage = /* @__PURE__ */ twin<
  (
    body: Uint8Array,
    index: number,
    previousOutput: documents.PreviousOutput,
    manifest: Manifest,
  ) => Uint8Array
>(messages.spendMessage, ['raw', 'raw', 'json', 'manifest']);

/**
 * What the owner of an operation signs.
 * @example
 * const signature = root.sign(0, BRANCHES.receive, 0, operationMessage(body, manifest), false);
 */
export const operationMessage = /* @__PURE__ */ twin<
  (body: Uint8Array, manifest: Manifest) => Uint8Array
>(messages.operationMessage, ['raw', 'manifest']);

/**
 * What the consensus key that an operation names signs.
 * @example
 * const signature = root.signPossession(0, BRANCHES.receive, 7, possessionMessage(body, manifest));
 */
export const possessionMessage = /* @__PURE__ */ twin<
  (body: Uint8Array, manifest: Manifest) => Uint8Array
>(messages.possessionMessage, ['raw', 'manifest']);

/**
 * Joins a body and its witnesses into the bytes that a node takes.
 * @example
 * const wire = assembleTransaction(body, [encodeWitness(publicKey, signature)], manifest);
 */
export const assembleTransaction = /* @__PURE__ */ twin<
  (
    body: Uint8Array,
    witnesses: readonly Uint8Array[],
    manifest: Manifest,
    possessionSignature?: Uint8Array,
  ) => Uint8Array
>(assembling.assembleTransaction, ['raw', 'raw', 'manifest', 'raw']);

/**
 * What a signed transaction says. Nothing is verified.
 * @example
 * for (const { address, amount } of inspectTransaction(wire, manifest).outputs) console.log(address, amount);
 */
export const inspectTransaction = /* @__PURE__ */ twin<
  (wire: Uint8Array, manifest: Manifest) => documents.TransactionInspection
>(transactions.inspectTransaction, ['raw', 'manifest'], 'json');

/**
 * Verifies a transaction against the outputs that it spends, or throws. The owner is null unless an operation does not name it.
 * @example
 * const { fee } = verifyTransaction(wire, [{ address, amount: 1_000_000_000n }], null, manifest);
 */
export const verifyTransaction = /* @__PURE__ */ twin<
  (
    wire: Uint8Array,
    previousOutputs: readonly documents.PreviousOutput[],
    ownerAddress: Address | null,
    manifest: Manifest,
  ) => documents.TransactionVerification
>(verifying.verifyTransaction, ['raw', 'json', 'raw', 'manifest'], 'json');

/**
 * As `verifyTransaction`, with keys that the chain's registry holds.
 * @example
 * verifyTransactionWithReferencedKeys(wire, previousOutputs, null, [{ publicKey }], manifest).transactionId;
 */
export const verifyTransactionWithReferencedKeys = /* @__PURE__ */ twin<
  (
    wire: Uint8Array,
    previousOutputs: readonly documents.PreviousOutput[],
    ownerAddress: Address | null,
    registeredKeys: readonly documents.RegisteredKey[],
    manifest: Manifest,
  ) => documents.TransactionVerification
>(
  verifying.verifyTransactionWithReferencedKeys,
  ['raw', 'json', 'raw', 'json', 'manifest'],
  'json',
);

/**
 * Encodes the witness of a multisig whose signers show their keys.
 * @example
 * encodeMultisigInlineWitness(descriptor, [{ member: 0, signature: first }, { member: 2, signature: second }]);
 */
export const encodeMultisigInlineWitness = /* @__PURE__ */ twin<
  (
    descriptor: documents.MultisigDescriptor,
    signatures: readonly documents.MemberSignature[],
  ) => Uint8Array
>(witnesses.encodeMultisigInlineWitness, ['json', 'json']);

/**
 * As `encodeMultisigInlineWitness`, for members whose keys are all in the chain's registry.
 * @example
 * encodeMultisigReferencedWitness(descriptor, [{ member: 0, signature: first }, { member: 1, signature: second }]);
 */
export const encodeMultisigReferencedWitness = /* @__PURE__ */ twin<
  (
    descriptor: documents.MultisigDescriptor,
    signatures: readonly documents.MemberSignature[],
  ) => Uint8Array
>(witnesses.encodeMultisigReferencedWitness, ['json', 'json']);
