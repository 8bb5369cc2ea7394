/**
 * Shows what a body says, in the shape of the request it was made from, with its id and network.
 */
import {
  ADDRESS_BYTES,
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
import type { Network } from '../base/networks.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { encodeAddress } from '../text/address.ts';
import { decodeBody } from './decode.ts';
import type { FieldKind } from './operation-fields.ts';
import { OPERATIONS, operationType } from './operation-fields.ts';
import type { BodyInspection, OperationRequest } from './request.ts';
import type { TransactionTable } from './table.ts';

function showField(table: TransactionTable, kind: FieldKind, network: Network): string {
  const address = (entry: number) =>
    encodeAddress(table.slice(table.u32(entry), ADDRESS_BYTES), network);
  switch (kind) {
    case 'subject':
      return toHex(table.slice(table.u32(TABLE_SUBJECT), ID_BYTES));
    case 'owner':
      return address(TABLE_OWNER);
    case 'reward':
      return address(TABLE_REWARD);
    case 'amount':
      return String(table.u64(TABLE_OPERATION_AMOUNT));
    case 'commission':
      return String(table.u32(TABLE_COMMISSION));
    case 'epoch':
      return String(table.u64(TABLE_EPOCH));
    case 'consensus_key':
      return toHex(table.slice(table.u32(TABLE_CONSENSUS_KEY), PUBLIC_KEY_BYTES));
    case 'endpoint':
      return toHex(table.slice(table.u32(TABLE_ENDPOINT), table.u32(TABLE_ENDPOINT_BYTES)));
  }
}

function showOperation(table: TransactionTable, network: Network): OperationRequest {
  const type = operationType(table.operation);
  const entries = OPERATIONS[type].fields.map(({ name, kind }): [string, string] => [
    name,
    showField(table, kind, network),
  ]);
  return { type, data: Object.fromEntries(entries) } as unknown as OperationRequest;
}

/** The inspection of a body that has been decoded, alone or within a transaction. */
export function showBody(table: TransactionTable, network: Network): BodyInspection {
  return {
    network,
    transaction_id: toHex(table.id),
    valid_from_height: String(table.validFrom),
    valid_until_height: String(table.validUntil),
    inputs: table.inputs.map(({ transactionId, outputIndex }) => ({
      transaction_id: toHex(transactionId),
      output_index: String(outputIndex),
    })),
    outputs: table.outputs.map(({ address, amount }) => ({
      address: encodeAddress(address, network),
      amount: String(amount),
    })),
    payload_hex: toHex(table.payload),
    ...(table.operation === 0 ? {} : { operation: showOperation(table, network) }),
  };
}

export function inspectTransactionBody(body: Uint8Array, manifestJson: string): string {
  const manifest = parseManifest(manifestJson);
  return JSON.stringify(showBody(decodeBody(body, manifest), manifest.network));
}

/** The transaction id, 96 hexadecimal characters. */
export function transactionId(body: Uint8Array, manifestJson: string): string {
  return toHex(decodeBody(body, parseManifest(manifestJson)).id);
}
