/**
 * Encodes a transaction body from its request; `docs/protocol.md` 4.1. The result has been decoded
 * by the kernel, so a body that leaves here keeps every rule of the manifest.
 */
import {
  BODY_FORMAT,
  BODY_FORMAT_FEE,
  ID_BYTES,
  INPUTS_MAX,
  PAYLOAD_BYTES_MAX,
} from '../../assembly/transaction/layout.ts';
import { Fields, U32_MAX, U64_MAX } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { SvcError } from '../base/svc-error.ts';
import { Writer } from '../base/writer.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { PROTOCOL_VERSION } from '../manifest/rules.ts';
import { decodeAddress } from '../text/address.ts';
import { expectAtoms, expectFee } from './atoms.ts';
import { decodeKeptBody } from './decode.ts';
import { writeOperation } from './operations.ts';
import type { TransactionRequest } from './request.ts';
import type { TransactionTable } from './table.ts';

const REQUEST_FIELDS = [
  'valid_from_height',
  'valid_until_height',
  'fee',
  'inputs',
  'outputs',
  'payload_hex',
  'operation',
];

/** More than any manifest allows; the kernel names the limit that counts. */
const LIST_ITEMS_MAX = 256;

const INPUT_FIELDS = ['transaction_id', 'output_index', 'repeated'];

function readInputs(request: Fields): Fields[] {
  return request
    .array('inputs', LIST_ITEMS_MAX)
    .map((value, i) => new Fields(value, `${request.at('inputs')}[${i}]`, INPUT_FIELDS));
}

/** The bitmap of inputs that repeat the witness of the input before them. */
function repeatedOf(inputs: readonly Fields[]): number {
  let repeated = 0;
  for (const [i, input] of inputs.entries()) {
    if (input.has('repeated') && input.boolean('repeated')) repeated |= i < INPUTS_MAX ? 1 << i : 0;
  }
  return repeated;
}

function writeInputs(writer: Writer, inputs: readonly Fields[]): void {
  writer.varint(inputs.length);
  for (const input of inputs) {
    writer.raw(input.hex('transaction_id', ID_BYTES));
    writer.u32(Number(input.decimal('output_index', { max: U32_MAX })));
  }
}

function writeOutputs(writer: Writer, request: Fields, manifest: Manifest): void {
  const outputs = request.array('outputs', LIST_ITEMS_MAX);
  writer.varint(outputs.length);
  for (const [i, value] of outputs.entries()) {
    const output = new Fields(value, `${request.at('outputs')}[${i}]`, ['address', 'amount']);
    writer.raw(decodeAddress(output.value('address'), manifest.network, output.at('address')));
    writer.u64(expectAtoms(output, 'amount'));
  }
}

function payloadBytes(request: Fields): Uint8Array {
  const payload = request.hex('payload_hex');
  if (payload.length <= PAYLOAD_BYTES_MAX) return payload;
  const found = `expected at most ${PAYLOAD_BYTES_MAX} bytes, found ${payload.length}`;
  throw new SvcError('payload_too_long', found, { path: request.at('payload_hex') });
}

function repeatedWithoutFee(request: Fields): SvcError {
  const found = 'only a body that declares its fee can have repeated inputs';
  return new SvcError('bad_repeated_inputs', found, { path: request.at('inputs') });
}

/** Encodes the body of a request that is no text, and returns what the kernel has found in it. */
export function makeBody(request: TransactionRequest, manifest: Manifest): TransactionTable {
  return encodeFields(new Fields(request as unknown as Json, '', REQUEST_FIELDS), manifest);
}

export function encodeBody(requestJson: string, manifest: Manifest): Uint8Array {
  return encodeFields(Fields.parse(requestJson, '', REQUEST_FIELDS), manifest).bytes;
}

function encodeFields(request: Fields, manifest: Manifest): TransactionTable {
  const fee = request.has('fee') ? expectFee(request, 'fee') : null;
  const writer = new Writer()
    .u8(fee === null ? BODY_FORMAT : BODY_FORMAT_FEE)
    .raw(manifest.chainId)
    .u32(PROTOCOL_VERSION)
    .raw(manifest.rulesId)
    .u64(request.decimal('valid_from_height', { max: U64_MAX }))
    .u64(request.decimal('valid_until_height', { max: U64_MAX }));
  const inputs = readInputs(request);
  const repeated = repeatedOf(inputs);
  if (fee !== null) writer.u64(fee).u8(repeated);
  else if (repeated !== 0) throw repeatedWithoutFee(request);
  writeInputs(writer, inputs);
  writeOutputs(writer, request, manifest);
  writeOperation(writer, request, manifest.network);
  writer.counted(payloadBytes(request));
  return decodeKeptBody(writer.finish(), manifest, '');
}

export function encodeTransactionBody(requestJson: string, manifestJson: string): Uint8Array {
  return encodeBody(requestJson, parseManifest(manifestJson));
}
