/**
 * The fields of operations: how each is read from a request, written, found in the kernel's table, given to
 * programs and shown. Types and lengths are checked here, where the path of a field is known; the kernel
 * checks the rules again on the encoded bytes.
 */
import {
  ADDRESS_BYTES,
  COMMISSION_BPS_MAX,
  COMMISSION_BPS_STEP,
  ENDPOINT_BYTES_MAX,
  ID_BYTES,
  PUBLIC_KEY_BYTES,
  TABLE_COMMISSION,
  TABLE_CONSENSUS_KEY,
  TABLE_ENDPOINT,
  TABLE_ENDPOINT_BYTES,
  TABLE_EPOCH,
  TABLE_OPERATION_AMOUNT,
  TABLE_OWNER,
  TABLE_REWARD,
  TABLE_SUBJECT,
} from '../../assembly/transaction/layout.ts';
import { toHex } from '../base/bytes.ts';
import type { Fields } from '../base/fields.ts';
import { U32_MAX, U64_MAX } from '../base/fields.ts';
import type { Network } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import type { Writer } from '../base/writer.ts';
import { keyHash } from '../kernel/hash-label.ts';
import { ADDRESS_TYPES, decodeAddress, encodeAddress } from '../text/address.ts';
import { expectAtoms } from './atoms.ts';
import type { TransactionTable } from './table.ts';

/** A consensus key with the hash by which the chain knows it. */
export interface ConsensusKey {
  readonly publicKey: Uint8Array;
  /** 96 hexadecimal characters. */
  readonly keyHash: string;
}

export interface OperationField<Name extends string, Raw, Value> {
  /** The name in requests and inspections. */
  readonly name: Name;
  write(writer: Writer, data: Fields, network: Network): void;
  /** Copies the field out of the table; does not call the kernel. */
  read(table: TransactionTable): Raw;
  /** The field as programs use it: amounts are bigints, ids and addresses are hexadecimal. */
  value(raw: Raw): Value;
  /** The field as a request has it. */
  show(raw: Raw, network: Network): string;
}

/** The id of the validator or position that an operation is about. */
function subject<const Name extends string>(name: Name): OperationField<Name, Uint8Array, string> {
  return {
    name,
    write: (writer, data) => writer.raw(data.hex(name, ID_BYTES)),
    read: (table) => table.slice(table.u32(TABLE_SUBJECT), ID_BYTES),
    value: toHex,
    show: toHex,
  };
}

function address<const Name extends string>(
  name: Name,
  entry: number,
  bytesOf: (data: Fields, network: Network) => Uint8Array,
): OperationField<Name, Uint8Array, string> {
  return {
    name,
    write: (writer, data, network) => writer.raw(bytesOf(data, network)),
    read: (table) => table.slice(table.u32(entry), ADDRESS_BYTES),
    value: toHex,
    show: encodeAddress,
  };
}

const ownerAddress = address('owner_address', TABLE_OWNER, (data, network) => {
  const path = data.at('owner_address');
  const bytes = decodeAddress(data.value('owner_address'), network, path);
  if (bytes[0] !== ADDRESS_TYPES.burn) return bytes;
  throw new SvcError('burn_not_allowed', 'expected an address whose owner can sign', { path });
});

const rewardAddress = address('reward_address', TABLE_REWARD, (data, network) =>
  decodeAddress(data.value('reward_address'), network, data.at('reward_address')),
);

const amount: OperationField<'amount', bigint, bigint> = {
  name: 'amount',
  write: (writer, data) => writer.u64(expectAtoms(data, 'amount')),
  read: (table) => table.u64(TABLE_OPERATION_AMOUNT),
  value: (raw) => raw,
  show: String,
};

const commissionBps: OperationField<'commission_bps', number, number> = {
  name: 'commission_bps',
  write: (writer, data) => writer.u16(expectCommission(data, 'commission_bps')),
  read: (table) => table.u32(TABLE_COMMISSION),
  value: (raw) => raw,
  show: String,
};

const epoch: OperationField<'epoch', bigint, bigint> = {
  name: 'epoch',
  write: (writer, data) => writer.u64(data.decimal('epoch', { max: U64_MAX })),
  read: (table) => table.u64(TABLE_EPOCH),
  value: (raw) => raw,
  show: String,
};

const consensusKey: OperationField<'consensus_public_key_hex', Uint8Array, ConsensusKey> = {
  name: 'consensus_public_key_hex',
  write: (writer, data) => writer.raw(data.hex('consensus_public_key_hex', PUBLIC_KEY_BYTES)),
  read: (table) => table.slice(table.u32(TABLE_CONSENSUS_KEY), PUBLIC_KEY_BYTES),
  value: (publicKey) => ({ publicKey, keyHash: toHex(keyHash(publicKey)) }),
  show: toHex,
};

const endpoint: OperationField<'overlay_endpoint_hex', Uint8Array, Uint8Array> = {
  name: 'overlay_endpoint_hex',
  write: (writer, data) => writer.counted(expectEndpoint(data, 'overlay_endpoint_hex')),
  read: (table) => table.slice(table.u32(TABLE_ENDPOINT), table.u32(TABLE_ENDPOINT_BYTES)),
  value: (raw) => raw,
  show: toHex,
};

export const OPERATION_FIELDS = {
  validatorId: subject('validator_id'),
  positionId: subject('position_id'),
  ownerAddress,
  rewardAddress,
  amount,
  commissionBps,
  epoch,
  consensusKey,
  endpoint,
} as const;

export type OperationFieldName = keyof typeof OPERATION_FIELDS;

function expectCommission(fields: Fields, name: string): number {
  const commission = Number(fields.decimal(name, { max: U32_MAX }));
  if (commission <= COMMISSION_BPS_MAX && commission % COMMISSION_BPS_STEP === 0) return commission;
  const expected = `0 to ${COMMISSION_BPS_MAX} in steps of ${COMMISSION_BPS_STEP}`;
  throw new SvcError('bad_commission', `expected ${expected}, found ${commission}`, {
    path: fields.at(name),
  });
}

function expectEndpoint(fields: Fields, name: string): Uint8Array {
  const bytes = fields.hex(name);
  if (bytes.length > 0 && bytes.length <= ENDPOINT_BYTES_MAX) return bytes;
  const found = `expected 1 to ${ENDPOINT_BYTES_MAX} bytes, found ${bytes.length}`;
  throw new SvcError('bad_endpoint', found, { path: fields.at(name) });
}
