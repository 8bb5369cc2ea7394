/**
 * Addresses for callers of the module: from a public key, taken apart, and the burn address.
 */
import { expectBytes, toHex } from '../base/bytes.ts';
import type { Network } from '../base/networks.ts';
import { expectNetwork } from '../base/networks.ts';
import { ADDRESS_BYTES, PUBLIC_KEY_BYTES } from '../base/sizes.ts';
import { keyHash } from '../kernel/hash-label.ts';
import type { AddressType } from './address.ts';
import {
  ADDRESS_TYPES,
  addressType,
  decodeAddress,
  decodeNetworkAddress,
  encodeAddress,
} from './address.ts';

export function addressFromPublicKey(publicKey: Uint8Array, network: string): string {
  const checked = expectNetwork(network, 'network');
  return encodeAddress(keyAddressBytes(publicKey), checked);
}

/** The 49 bytes of the address of a public key. */
export function keyAddressBytes(publicKey: Uint8Array): Uint8Array {
  return addressBytes('key', keyHash(expectBytes(publicKey, 'public_key', PUBLIC_KEY_BYTES)));
}

/** What `parseAddress` returns. */
export interface AddressDocument {
  readonly network: Network;
  readonly type: AddressType;
  readonly hash: string;
}

/** Answers an `AddressDocument`; with a network, an address of any other one is refused. */
export function parseAddress(address: string, network?: string): string {
  const { network: found, bytes } = decodeNetworkAddress(address);
  if (network !== undefined && expectNetwork(network, 'network') !== found) {
    decodeAddress(address, expectNetwork(network, 'network'));
  }
  return JSON.stringify({
    network: found,
    type: addressType(bytes),
    hash: toHex(bytes.subarray(1)),
  } satisfies AddressDocument);
}

/** The address whose outputs are never created: what is paid to it leaves the supply. */
export function burnAddress(network: string): string {
  const checked = expectNetwork(network, 'network');
  return encodeAddress(addressBytes('burn', new Uint8Array(ADDRESS_BYTES - 1)), checked);
}

function addressBytes(type: keyof typeof ADDRESS_TYPES, hash: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  bytes[0] = ADDRESS_TYPES[type];
  bytes.set(hash, 1);
  return bytes;
}
