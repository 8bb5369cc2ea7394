/**
 * Verifies a signed transaction against the outputs it spends, as the node that admits it does.
 * Whether those outputs exist and the keys are registered is what the caller has to know.
 */
import { PUBLIC_KEY_BYTES } from '../../assembly/transaction/layout.ts';
import { concatBytes, equalBytes, toHex } from '../base/bytes.ts';
import { expectArray, Fields } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/json.ts';
import type { Network } from '../base/networks.ts';
import { SvcError } from '../base/svc-error.ts';
import { keyHash } from '../kernel/hash-label.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { ADDRESS_TYPES, decodeAddress } from '../text/address.ts';
import { parsePreviousOutputs } from './previous-output.ts';
import { showQuote } from './quote.ts';
import type { TransactionVerification } from './request.ts';
import type { TransactionTable } from './table.ts';
import { verifyTransactionBytes } from './verify-bytes.ts';

const KEYS_MAX = 256;

/** An entry of the list that `verifyTransactionWithReferencedKeys` takes. */
export interface RegisteredKeyRequest {
  readonly address?: string;
  readonly public_key_hex: string;
}

function readKey(value: Json, network: Network, path: string): Uint8Array {
  const fields = new Fields(value, path, ['address', 'public_key_hex']);
  const publicKey = fields.hex('public_key_hex', PUBLIC_KEY_BYTES);
  if (!fields.has('address')) return publicKey;
  const address = decodeAddress(fields.value('address'), network, fields.at('address'));
  const fits =
    address[0] === ADDRESS_TYPES.key && equalBytes(address.subarray(1), keyHash(publicKey));
  if (fits) return publicKey;
  throw new SvcError('key_mismatch', 'the address was not made from the public key', { path });
}

function parseRegisteredKeys(registeredKeysJson: string, network: Network): Uint8Array {
  const path = 'registered_keys';
  const values = expectArray(parseJson(registeredKeysJson, path), path, KEYS_MAX);
  return concatBytes(...values.map((value, i) => readKey(value, network, `${path}[${i}]`)));
}

function showVerification(table: TransactionTable, network: Network): TransactionVerification {
  return {
    network,
    transaction_id: toHex(table.id),
    fee: String(table.fee),
    ...showQuote(table),
    valid_from_height: String(table.validFrom),
    valid_until_height: String(table.validUntil),
  };
}

function verify(
  wire: Uint8Array,
  previousOutputsJson: string,
  ownerAddress: string | null,
  registeredKeys: Uint8Array,
  manifest: Manifest,
): string {
  const { network } = manifest;
  const owner =
    ownerAddress === null ? null : decodeAddress(ownerAddress, network, 'owner_address');
  const previousOutputs = concatBytes(...parsePreviousOutputs(previousOutputsJson, network));
  const verdict = verifyTransactionBytes(
    { wire, previousOutputs, owner, registeredKeys },
    manifest,
  );
  if (verdict.accepted) return JSON.stringify(showVerification(verdict.table, network));
  throw verdict.error;
}

/**
 * Verifies a transaction whose witnesses show their keys. `previousOutputsJson` lists
 * `{address, amount}` for each input; `ownerAddress` is null unless an operation does not name its
 * owner. Returns a `TransactionVerification` as JSON or throws.
 */
export function verifyTransaction(
  wire: Uint8Array,
  previousOutputsJson: string,
  ownerAddress: string | null,
  manifestJson: string,
): string {
  const manifest = parseManifest(manifestJson);
  return verify(wire, previousOutputsJson, ownerAddress, new Uint8Array(0), manifest);
}

/** As `verifyTransaction`, with keys that the registry reports: a list of `RegisteredKeyRequest`. */
export function verifyTransactionWithReferencedKeys(
  wire: Uint8Array,
  previousOutputsJson: string,
  ownerAddress: string | null,
  registeredKeysJson: string,
  manifestJson: string,
): string {
  const manifest = parseManifest(manifestJson);
  const keys = parseRegisteredKeys(registeredKeysJson, manifest.network);
  return verify(wire, previousOutputsJson, ownerAddress, keys, manifest);
}
