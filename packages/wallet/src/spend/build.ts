/**
 * Makes a planned transaction: encodes it, signs it and reads back what the signed bytes say. Nothing leaves
 * the wallet unless it pays exactly the plan's payments, change to the wallet itself and the plan's fee.
 */
import {
  type BodyInspection,
  BRANCHES,
  encodeTransactionBody,
  encodeWitnessWithProfile,
  type InputRequest,
  operationMessage,
  possessionMessage,
  type TransactionRequest,
  type TransactionVerification,
  transactionId,
  verifyTransactionWithReferencedKeys,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import {
  assemble,
  makeBody,
  makeSpendMessage,
  parseManifest,
  showBody,
  type TransactionTable,
} from 'svc-wasm/protocol';
import { ACCOUNT, type AddressKeys } from '../keys/key-ring.ts';
import type { KeyPath, PendingSignature, Signing } from '../keys/signer.ts';
import type { SpendingAddress } from '../state/addresses.ts';
import type { Coin } from '../state/outputs.ts';
import {
  isRepeated,
  type OwnedOperation,
  type Plan,
  payloadOf,
  type SpendContext,
} from './plan.ts';

export interface Window {
  readonly from: number;
  readonly until: number;
}

/** An output that a transaction spends. */
interface Spent {
  readonly address: string;
  readonly amount: string;
}

export interface BuiltTransaction {
  readonly plan: Plan;
  readonly transactionId: string;
  readonly wire: Uint8Array;
  readonly validUntil: number;
}

/** Makes a transaction that is signed at once. */
export function buildTransaction(
  plan: Plan,
  changeAddress: string | null,
  window: Window,
  context: SpendContext,
  keys: AddressKeys,
): BuiltTransaction {
  const sign = ({ branch, position }: KeyPath, message: Uint8Array): PendingSignature => {
    const signature = keys.sign(ACCOUNT, branch, position, message, true);
    return () => signature;
  };
  const begun = beginTransaction(plan, changeAddress, window, context, keys, { sign });
  begun.finish();
  return begun;
}

/** A transaction whose signatures are asked for; its bytes are there once they are made and `finish` was called. */
export interface UnfinishedTransaction extends BuiltTransaction {
  finish(): void;
}

/** As `buildTransaction`, except that the signatures of inputs come later; then the signed bytes are read back. */
export function beginTransaction(
  plan: Plan,
  changeAddress: string | null,
  window: Window,
  context: SpendContext,
  keys: AddressKeys,
  signing: Pick<Signing, 'sign'>,
): UnfinishedTransaction {
  const { manifest } = context.terms;
  const request = transactionRequest(plan, changeAddress, window);
  const rules = parseManifest(manifest);
  const made = makeBody(request, rules);
  const owners = plan.coins.map((coin) => context.addressOf(coin));
  const spent = spentBy(plan.coins, owners);
  const signatures = owners.map((owner, at) =>
    isRepeated(plan.coins, at)
      ? undefined
      : signing.sign(owner, makeSpendMessage(made, at, spent[at] as Spent, rules)),
  );
  const id = toHex(made.id);
  const { operation } = plan.order;
  let wire: Uint8Array | undefined;
  return {
    ...{ plan, transactionId: id, validUntil: window.until },
    get wire() {
      if (wire === undefined) throw new Error('the transaction is not signed yet');
      return wire;
    },
    finish: () => {
      const witnesses = owners.map((owner, at) => {
        const signature = signatures[at]?.();
        return signature === undefined
          ? encodeWitnessWithProfile('repeated', null, null)
          : witnessWith(owner, keys, signature);
      });
      if (operation !== undefined) {
        const message = operationMessage(made.bytes, manifest);
        const { branch, position } = operation.owner;
        const signature = keys.sign(ACCOUNT, branch, position, message, false);
        witnesses.push(witnessWith(operation.owner, keys, signature));
      }
      const possession = possessionOf(operation, keys, made.bytes, manifest);
      const signed = assemble(made, witnesses, possession, rules);
      const said = expectPromised(signed, request, plan, spent, context, keys);
      if (said !== id) throw new Error('the signed transaction has another id');
      wire = signed.bytes;
    },
  };
}

/** Makes the planned transaction without signatures: it has its id, and no node would accept it. */
export function draftTransaction(
  plan: Plan,
  changeAddress: string | null,
  window: Window,
  { terms }: SpendContext,
): BuiltTransaction {
  const request = transactionRequest(plan, changeAddress, window);
  const body = encodeTransactionBody(JSON.stringify(request), terms.manifest);
  return {
    plan,
    transactionId: transactionId(body, terms.manifest),
    wire: new Uint8Array(0),
    validUntil: window.until,
  };
}

/** What `encodeTransactionBody` takes for a plan. */
export function transactionRequest(
  plan: Plan,
  changeAddress: string | null,
  window: Window,
): TransactionRequest {
  const outputs = plan.payments.map(({ address, amount }) => ({ address, amount: String(amount) }));
  for (const part of plan.change) {
    if (changeAddress === null) throw new RangeError('the change has nowhere to go');
    outputs.push({ address: changeAddress, amount: String(part) });
  }
  return {
    valid_from_height: String(window.from),
    valid_until_height: String(window.until),
    fee: String(plan.fee),
    inputs: inputsOf(plan.coins),
    outputs,
    payload_hex: payloadOf(plan.order),
    ...(plan.order.operation === undefined ? {} : { operation: plan.order.operation.request }),
  };
}

/** The inputs of a request. Coins of one address that stand side by side share a witness. */
export function inputsOf(coins: readonly Coin[]): InputRequest[] {
  return coins.map(({ transactionId, outputIndex }, at) => ({
    transaction_id: transactionId,
    output_index: String(outputIndex),
    ...(isRepeated(coins, at) ? { repeated: true } : {}),
  }));
}

function spentBy(coins: readonly Coin[], owners: readonly SpendingAddress[]): Spent[] {
  return coins.map(({ amount }, at) => ({
    address: (owners[at] as SpendingAddress).address,
    amount: String(amount),
  }));
}

function witnessWith(owner: SpendingAddress, keys: AddressKeys, signature: Uint8Array): Uint8Array {
  if (owner.isKeyRegistered) return encodeWitnessWithProfile('referenced', null, signature);
  const publicKey = keys.derivePublicKey(ACCOUNT, owner.branch, owner.position);
  return encodeWitnessWithProfile('inline', publicKey, signature);
}

function possessionOf(
  operation: OwnedOperation | undefined,
  keys: AddressKeys,
  body: Uint8Array,
  manifest: string,
): Uint8Array | undefined {
  if (operation?.possession === undefined) return undefined;
  const message = possessionMessage(body, manifest);
  return keys.signPossession(ACCOUNT, BRANCHES.receive, operation.possession.position, message);
}

/**
 * Compares what the kernel has read from the signed bytes with the request, to the atom. Returns the id of the transaction. The signatures of a
 * payment are left to the node, which checks them anyway and refuses for certain what has a wrong one; who pays for
 * an operation is checked here.
 */
function expectPromised(
  signed: TransactionTable,
  request: TransactionRequest,
  plan: Plan,
  spent: readonly Spent[],
  context: SpendContext,
  keys: AddressKeys,
): string {
  const { feeMax, terms } = context;
  const { operation } = plan.order;
  const said = showBody(signed, terms.network);
  const fee =
    operation === undefined
      ? sumOf(spent) - sumOf(request.outputs)
      : verifiedFee(signed.bytes, plan.coins, operation, spent, context, keys);
  const keepsPromise = saysWhatWasAsked(said, request) && fee === plan.fee && plan.fee <= feeMax;
  if (!keepsPromise) throw new Error('the signed transaction does not say what was asked for');
  return said.transaction_id;
}

/** Whether a body pays what a request asks for, to the letter. */
function saysWhatWasAsked(said: BodyInspection, request: TransactionRequest): boolean {
  return (
    said.fee === request.fee &&
    said.payload_hex === request.payload_hex &&
    said.inputs.length === request.inputs.length &&
    said.outputs.length === request.outputs.length &&
    said.inputs.every((input, at) => isSameInput(input, request.inputs[at] as InputRequest)) &&
    said.outputs.every((output, at) => isSameOutput(output, request.outputs[at] as Spent)) &&
    (said.operation === request.operation ||
      JSON.stringify(said.operation) === JSON.stringify(request.operation))
  );
}

function isSameInput(a: InputRequest, b: InputRequest): boolean {
  return (
    a.transaction_id === b.transaction_id &&
    a.output_index === b.output_index &&
    a.repeated === b.repeated
  );
}

function isSameOutput(a: Spent, b: Spent): boolean {
  return a.address === b.address && a.amount === b.amount;
}

function sumOf(outputs: readonly { readonly amount: string }[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** The fee of signed bytes whose signatures hold, that of the operation's owner included. */
function verifiedFee(
  wire: Uint8Array,
  coins: readonly Coin[],
  { owner }: OwnedOperation,
  spent: readonly Spent[],
  { addressOf, terms }: SpendContext,
  keys: AddressKeys,
): bigint {
  const signers = [...coins.map(addressOf), owner];
  // An address may be named twice, as the owner of a coin and of an operation, read at different times.
  const known = signers.filter(({ isKeyRegistered }) => isKeyRegistered);
  const registered = [...new Map(known.map((signer) => [signer.id, signer])).values()].map(
    ({ branch, position }) => ({
      public_key_hex: toHex(keys.derivePublicKey(ACCOUNT, branch, position)),
    }),
  );
  const verified = JSON.parse(
    verifyTransactionWithReferencedKeys(
      wire,
      JSON.stringify(spent),
      owner.address,
      JSON.stringify(registered),
      terms.manifest,
    ),
  ) as TransactionVerification;
  return BigInt(verified.fee);
}
