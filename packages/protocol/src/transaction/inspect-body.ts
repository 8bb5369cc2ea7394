/**
 * Shows what a body says, in the shape of the request it was made from, with its id and network.
 */
import { toHex } from '../base/bytes.ts';
import type { Network } from '../base/networks.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { encodeAddress } from '../text/address.ts';
import { decodeBody } from './decode.ts';
import { showOperation } from './operations.ts';
import type { BodyInspection } from './request.ts';
import type { TransactionTable } from './table.ts';

/** The inspection of a body that has been decoded, alone or within a transaction. */
export function showBody(table: TransactionTable, network: Network): BodyInspection {
  const operation = showOperation(table, network);
  return {
    network,
    transaction_id: toHex(table.id),
    valid_from_height: String(table.validFrom),
    valid_until_height: String(table.validUntil),
    ...(table.declaredFee === null ? {} : { fee: String(table.declaredFee) }),
    inputs: table.inputs.map(({ transactionId, outputIndex }, i) => ({
      transaction_id: toHex(transactionId),
      output_index: String(outputIndex),
      ...(table.isRepeated(i) ? { repeated: true } : {}),
    })),
    outputs: table.outputs.map(({ address, amount }) => ({
      address: encodeAddress(address, network),
      amount: String(amount),
    })),
    payload_hex: toHex(table.payload),
    ...(operation === undefined ? {} : { operation }),
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
