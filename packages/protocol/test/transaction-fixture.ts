/**
 * What the tests of transactions work with: keys, a manifest, requests, raw bodies that may break
 * any rule, and signed transactions.
 */
import { concatBytes, fromHex, toHex } from '../src/base/bytes.ts';
import type { Context } from '../src/base/labels.ts';
import { CONTEXTS, contextBytes } from '../src/base/labels.ts';
import { Writer } from '../src/base/writer.ts';
import { keyHash } from '../src/kernel/hash-label.ts';
import { mlDsa65 } from '../src/kernel/ml-dsa.ts';
import type { Manifest } from '../src/manifest/manifest.ts';
import { createManifest } from '../src/manifest/manifest.ts';
import type { Rules } from '../src/manifest/rules.ts';
import { encodeAddress } from '../src/text/address.ts';
import { assembleTransaction } from '../src/transaction/assemble.ts';
import { encodeTransactionBody } from '../src/transaction/encode-body.ts';
import { operationMessage, possessionMessage, spendMessage } from '../src/transaction/messages.ts';
import { OPERATION_FIELDS, type OperationFieldName } from '../src/transaction/operation-fields.ts';
import {
  OPERATION_TYPES,
  OPERATIONS,
  type OperationData,
  type OperationRequest,
} from '../src/transaction/operations.ts';
import type {
  InputRequest,
  OutputRequest,
  TransactionRequest,
} from '../src/transaction/request.ts';
import { encodeWitness, encodeWitnessWithProfile } from '../src/transaction/witness.ts';
import { seededBytes } from './seeded-bytes.ts';

export const NETWORK = 'development';
export const CHAIN_ID = '7c'.repeat(48);
export const NO_RANDOM = new Uint8Array(32);
export const COIN = 100_000_000n;

export function manifestWith(rules: Partial<Rules> = {}): Manifest {
  return createManifest(NETWORK, fromHex(CHAIN_ID), rules);
}

export interface Person {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
  readonly addressBytes: Uint8Array;
  readonly address: string;
}

const people = new Map<number, Person>();

/** A person with a key, the same on every run. */
export function person(index: number): Person {
  const known = people.get(index);
  if (known !== undefined) return known;
  const { publicKey, secretKey } = mlDsa65.keygen(seededBytes(`person ${index}`, 32));
  const addressBytes = concatBytes(Uint8Array.of(0), keyHash(publicKey));
  const address = encodeAddress(addressBytes, NETWORK);
  const made = { publicKey, secretKey, addressBytes, address };
  people.set(index, made);
  return made;
}

export function signWith(signer: Person, message: Uint8Array, context: Context): Uint8Array {
  return mlDsa65.sign(signer.secretKey, message, {
    context: contextBytes(context),
    random: NO_RANDOM,
  });
}

export function outpoint(index: number): InputRequest {
  return { transaction_id: toHex(seededBytes(`output ${index}`, 48)), output_index: String(index) };
}

/** `count` inputs, of which all but the first repeat the witness of the one before. */
export function repeatedInputs(count: number): InputRequest[] {
  return Array.from({ length: count }, (_, i) =>
    i === 0 ? outpoint(i) : { ...outpoint(i), repeated: true },
  );
}

export function payment(overrides: Partial<TransactionRequest> = {}): TransactionRequest {
  return {
    valid_from_height: '1000',
    valid_until_height: '1100',
    inputs: [outpoint(0)],
    outputs: [{ address: person(1).address, amount: '500000000' }],
    payload_hex: '',
    ...overrides,
  };
}

export function bodyOf(overrides: Partial<TransactionRequest>, manifest: Manifest): Uint8Array {
  return encodeTransactionBody(JSON.stringify(payment(overrides)), manifest.json);
}

/** One request for each operation; the owner is person 0, the consensus key person 9's. */
export function operationRequests(): OperationRequest[] {
  const id = toHex(seededBytes('subject', 48));
  const values: Readonly<Record<OperationFieldName, string>> = {
    validatorId: id,
    positionId: id,
    ownerAddress: person(0).address,
    rewardAddress: person(2).address,
    amount: '7',
    commissionBps: '500',
    epoch: '18446744073709551615',
    consensusKey: toHex(person(9).publicKey),
    endpoint: 'c0ffee',
  };
  const others: Partial<OperationData> = {
    unbond: { position_id: id, amount: '8' },
    commission: { validator_id: id, commission_bps: '1000' },
  };
  return OPERATION_TYPES.map((type) => {
    const fields: readonly OperationFieldName[] = OPERATIONS[type].fields;
    const data = fields.map((name) => [OPERATION_FIELDS[name].name, values[name]]);
    return { type, data: others[type] ?? Object.fromEntries(data) };
  });
}

export function operationRequest(type: OperationRequest['type']): OperationRequest {
  const found = operationRequests().find((operation) => operation.type === type);
  if (found === undefined) throw new Error(type);
  return found;
}

/** Parts of a body as raw bytes, so that a test can break any of them. */
export interface RawBody {
  readonly format: number;
  readonly chainId: Uint8Array;
  readonly protocolVersion: number;
  readonly rulesId: Uint8Array;
  readonly validFrom: bigint;
  readonly validUntil: bigint;
  /** Fee and bitmap of repeated inputs, nine bytes, in a body of format 2; none in one of format 1. */
  readonly fee: Uint8Array;
  /** Count and outpoints. */
  readonly inputs: Uint8Array;
  /** Count and outputs. */
  readonly outputs: Uint8Array;
  /** Tag and fields. */
  readonly operation: Uint8Array;
  /** Length and bytes. */
  readonly payload: Uint8Array;
}

export function rawInputs(...indexes: number[]): Uint8Array {
  const writer = new Writer().varint(indexes.length);
  for (const index of indexes) writer.raw(seededBytes(`output ${index}`, 48)).u32(index);
  return writer.finish();
}

export function rawOutputs(...amounts: bigint[]): Uint8Array {
  const writer = new Writer().varint(amounts.length);
  for (const amount of amounts) writer.raw(person(1).addressBytes).u64(amount);
  return writer.finish();
}

/** A body of format 2 with this fee, and the inputs that repeat as a bitmap. */
export function rawFee(fee: bigint, repeated = 0): Pick<RawBody, 'format' | 'fee'> {
  return { format: 2, fee: new Writer().u64(fee).u8(repeated).finish() };
}

export function rawBody(manifest: Manifest, overrides: Partial<RawBody> = {}): Uint8Array {
  const body: RawBody = {
    format: 1,
    chainId: manifest.chainId,
    protocolVersion: 1,
    rulesId: manifest.rulesId,
    validFrom: 1000n,
    validUntil: 1100n,
    fee: new Uint8Array(0),
    inputs: rawInputs(0),
    outputs: rawOutputs(500_000_000n),
    operation: Uint8Array.of(0),
    payload: Uint8Array.of(0),
    ...overrides,
  };
  return new Writer()
    .u8(body.format)
    .raw(body.chainId)
    .u32(body.protocolVersion)
    .raw(body.rulesId)
    .u64(body.validFrom)
    .u64(body.validUntil)
    .raw(body.fee)
    .raw(body.inputs)
    .raw(body.outputs)
    .raw(body.operation)
    .raw(body.payload)
    .finish();
}

/** A transaction of person 0, all of whose witnesses are inline or repeated, and what it spends. */
export interface Signed {
  readonly body: Uint8Array;
  readonly wire: Uint8Array;
  readonly witnesses: readonly Uint8Array[];
  readonly possession: Uint8Array | undefined;
  readonly previousOutputs: readonly OutputRequest[];
}

export function signAll(
  overrides: Partial<TransactionRequest>,
  manifest: Manifest,
  inputAmount: bigint = 100n * COIN,
): Signed {
  const request = payment(overrides);
  const body = encodeTransactionBody(JSON.stringify(request), manifest.json);
  const signer = person(0);
  const previousOutputs = request.inputs.map(() => ({
    address: signer.address,
    amount: String(inputAmount),
  }));
  const witnesses = previousOutputs.map((previous, i) => {
    if (request.inputs[i]?.repeated === true) {
      return encodeWitnessWithProfile('repeated', null, null);
    }
    const message = spendMessage(body, i, JSON.stringify(previous), manifest.json);
    return encodeWitness(signer.publicKey, signWith(signer, message, CONTEXTS.spend));
  });
  if (request.operation !== undefined) {
    const message = operationMessage(body, manifest.json);
    witnesses.push(encodeWitness(signer.publicKey, signWith(signer, message, CONTEXTS.operation)));
  }
  const possession = possessionOf(request, body, manifest);
  const wire = assembleTransaction(body, witnesses, manifest.json, possession);
  return { body, wire, witnesses, possession, previousOutputs };
}

function possessionOf(
  { operation }: TransactionRequest,
  body: Uint8Array,
  manifest: Manifest,
): Uint8Array | undefined {
  if (operation === undefined || !('consensus_public_key_hex' in operation.data)) return undefined;
  return signWith(person(9), possessionMessage(body, manifest.json), CONTEXTS.possession);
}
