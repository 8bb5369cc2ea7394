/**
 * Writes the operation of a request. Types and lengths are checked here, where the path of a field
 * is known; the kernel checks the rules again on the encoded bytes.
 */
import {
  COMMISSION_BPS_MAX,
  COMMISSION_BPS_STEP,
  ENDPOINT_BYTES_MAX,
  ID_BYTES,
  OPERATION_NONE,
  PUBLIC_KEY_BYTES,
} from '../../assembly/transaction/layout.ts';
import type { Fields } from '../base/fields.ts';
import { U32_MAX, U64_MAX } from '../base/fields.ts';
import type { Network } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import type { Writer } from '../base/writer.ts';
import { ADDRESS_TYPES, decodeAddress } from '../text/address.ts';
import { expectAtoms } from './atoms.ts';
import type { OperationField } from './operation-fields.ts';
import { OPERATION_TYPES, OPERATIONS } from './operation-fields.ts';
import type { OperationType } from './request.ts';

function addressBytes(fields: Fields, name: string, network: Network): Uint8Array {
  return decodeAddress(fields.value(name), network, fields.at(name));
}

function ownerBytes(fields: Fields, name: string, network: Network): Uint8Array {
  const address = addressBytes(fields, name, network);
  if (address[0] !== ADDRESS_TYPES.burn) return address;
  throw new SvcError('burn_not_allowed', 'expected an address whose owner can sign', {
    path: fields.at(name),
  });
}

function commissionBps(fields: Fields, name: string): number {
  const commission = Number(fields.decimal(name, { max: U32_MAX }));
  if (commission <= COMMISSION_BPS_MAX && commission % COMMISSION_BPS_STEP === 0) return commission;
  const expected = `0 to ${COMMISSION_BPS_MAX} in steps of ${COMMISSION_BPS_STEP}`;
  throw new SvcError('bad_commission', `expected ${expected}, found ${commission}`, {
    path: fields.at(name),
  });
}

function endpointBytes(fields: Fields, name: string): Uint8Array {
  const endpoint = fields.hex(name);
  if (endpoint.length > 0 && endpoint.length <= ENDPOINT_BYTES_MAX) return endpoint;
  const found = `expected 1 to ${ENDPOINT_BYTES_MAX} bytes, found ${endpoint.length}`;
  throw new SvcError('bad_endpoint', found, { path: fields.at(name) });
}

function writeField(writer: Writer, field: OperationField, data: Fields, network: Network): void {
  const { name, kind } = field;
  switch (kind) {
    case 'subject':
      writer.raw(data.hex(name, ID_BYTES));
      return;
    case 'owner':
      writer.raw(ownerBytes(data, name, network));
      return;
    case 'reward':
      writer.raw(addressBytes(data, name, network));
      return;
    case 'amount':
      writer.u64(expectAtoms(data, name));
      return;
    case 'commission':
      writer.u16(commissionBps(data, name));
      return;
    case 'epoch':
      writer.u64(data.decimal(name, { max: U64_MAX }));
      return;
    case 'consensus_key':
      writer.raw(data.hex(name, PUBLIC_KEY_BYTES));
      return;
    case 'endpoint':
      writer.counted(endpointBytes(data, name));
  }
}

function expectType(operation: Fields): OperationType {
  const value = operation.string('type', 64);
  const type = OPERATION_TYPES.find((candidate) => candidate === value);
  if (type !== undefined) return type;
  throw new SvcError('unknown_operation', `expected one of ${OPERATION_TYPES.join(', ')}`, {
    path: operation.at('type'),
  });
}

/** Writes the tag, and the fields if the request has an operation. */
export function writeOperation(writer: Writer, request: Fields, network: Network): void {
  if (!request.has('operation')) {
    writer.u8(OPERATION_NONE);
    return;
  }
  const operation = request.fields('operation', ['type', 'data']);
  const { tag, fields } = OPERATIONS[expectType(operation)];
  const data = operation.fields(
    'data',
    fields.map(({ name }) => name),
  );
  writer.u8(tag);
  for (const field of fields) writeField(writer, field, data, network);
}
