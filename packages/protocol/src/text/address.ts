/**
 * Addresses as text: bech32m over one type symbol and 77 symbols of hash; `docs/protocol.md` 3.
 * A text decodes to one byte string or is refused; nothing is trimmed or repaired.
 */
import { bech32m } from '@scure/base';
import { kindOf } from '../base/kind-of.ts';
import type { Network } from '../base/networks.ts';
import { NETWORKS } from '../base/networks.ts';
import { ADDRESS_BYTES, ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';

export const ADDRESS_TYPES = { key: 0, multisig: 1, burn: 2 } as const;
export type AddressType = keyof typeof ADDRESS_TYPES;

const TEXT_CHARACTERS_MAX = 90;
const HASH_SYMBOLS = 77;

export interface NetworkAddress {
  readonly network: Network;
  readonly bytes: Uint8Array;
}

/** The type of an address in bytes that `decodeAddress` or a transaction decoder has accepted. */
export function addressType(bytes: Uint8Array): AddressType {
  if (bytes[0] === ADDRESS_TYPES.key) return 'key';
  return bytes[0] === ADDRESS_TYPES.multisig ? 'multisig' : 'burn';
}

/** The 49 bytes of an address of the given network. */
export function decodeAddress(text: unknown, network: Network, path = 'address'): Uint8Array {
  const address = decodeNetworkAddress(text, path);
  if (address.network !== network) {
    const found = `expected an address of ${network}, found one of ${address.network}`;
    throw new SvcError('wrong_network', found, { path });
  }
  return address.bytes;
}

/** The 49 bytes of an address of any network, and that network. */
export function decodeNetworkAddress(text: unknown, path = 'address'): NetworkAddress {
  if (typeof text !== 'string') {
    throw new SvcError('bad_type', `expected an address, found ${kindOf(text)}`, { path });
  }
  if (text.length > TEXT_CHARACTERS_MAX) {
    throw new SvcError('bad_address', `longer than ${TEXT_CHARACTERS_MAX} characters`, { path });
  }
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) {
    throw new SvcError('bad_address', 'mixes upper and lower case', { path });
  }
  const decoded = bech32m.decodeUnsafe(text, TEXT_CHARACTERS_MAX);
  if (decoded === undefined) {
    throw new SvcError('bad_address', 'not bech32m: a character or the checksum is wrong', {
      path,
    });
  }
  const network = networkOfPrefix(decoded.prefix.toLowerCase());
  if (network === undefined) {
    const prefixes = Object.values(NETWORKS).map(({ prefix }) => prefix);
    throw new SvcError('wrong_network', `expected a prefix of ${prefixes.join(', ')}`, { path });
  }
  return { network, bytes: fromSymbols(decoded.words, path) };
}

export function encodeAddress(bytes: Uint8Array, network: Network, path = 'address'): string {
  checkAddressBytes(bytes, path);
  return bech32m.encode(NETWORKS[network].prefix, toSymbols(bytes), TEXT_CHARACTERS_MAX);
}

/** Refuses bytes that are no address: length, type, burn value. */
export function checkAddressBytes(bytes: Uint8Array, path: string): void {
  if (bytes.length !== ADDRESS_BYTES) {
    throw new SvcError('bad_address', `expected ${ADDRESS_BYTES} bytes, found ${bytes.length}`, {
      path,
    });
  }
  const type = bytes[0] as number;
  if (type > ADDRESS_TYPES.burn) {
    throw new SvcError('bad_address', `expected type 0, 1 or 2, found ${type}`, { path });
  }
  if (type === ADDRESS_TYPES.burn && bytes.subarray(1).some((byte) => byte !== 0)) {
    throw new SvcError('bad_address', 'the burn address has one value only', { path });
  }
}

function networkOfPrefix(prefix: string): Network | undefined {
  const networks = Object.keys(NETWORKS) as Network[];
  return networks.find((network) => NETWORKS[network].prefix === prefix);
}

function toSymbols(bytes: Uint8Array): number[] {
  const hash = bytes.subarray(1);
  const symbols = [bytes[0] as number];
  for (let symbol = 0; symbol < HASH_SYMBOLS; symbol++) {
    let value = 0;
    for (let bit = 5 * symbol; bit < 5 * symbol + 5; bit++) {
      const byte = hash[bit >> 3] ?? 0;
      value = (value << 1) | ((byte >> (7 - (bit & 7))) & 1);
    }
    symbols.push(value);
  }
  return symbols;
}

function fromSymbols(symbols: readonly number[], path: string): Uint8Array {
  if (symbols.length !== 1 + HASH_SYMBOLS) {
    const found = `expected ${1 + HASH_SYMBOLS} symbols, found ${symbols.length}`;
    throw new SvcError('bad_address', found, { path });
  }
  const bytes = new Uint8Array(ADDRESS_BYTES);
  bytes[0] = symbols[0] as number;
  for (let bit = 0; bit < 8 * ID_BYTES; bit++) {
    const symbol = symbols[1 + Math.floor(bit / 5)] as number;
    const value = (symbol >> (4 - (bit % 5))) & 1;
    const at = 1 + (bit >> 3);
    bytes[at] = (bytes[at] as number) | (value << (7 - (bit & 7)));
  }
  if (((symbols[HASH_SYMBOLS] as number) & 1) !== 0) {
    throw new SvcError('bad_address', 'the padding bit is not zero', { path });
  }
  checkAddressBytes(bytes, path);
  return bytes;
}
