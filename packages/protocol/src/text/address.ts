/**
 * Addresses as text: bech32m over one type symbol and 77 symbols of hash; `docs/protocol.md` 3.
 * A text decodes to one byte string or is refused; nothing is trimmed or repaired.
 */
import { kindOf } from '../base/kind-of.ts';
import type { Network } from '../base/networks.ts';
import { NETWORKS } from '../base/networks.ts';
import { ADDRESS_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { decodeBech32m, encodeBech32m } from './bech32m.ts';

export const ADDRESS_TYPES = { key: 0, multisig: 1, burn: 2 } as const;
export type AddressType = keyof typeof ADDRESS_TYPES;

const TEXT_CHARACTERS_MAX = 90;
const HASH_SYMBOLS = 77;
/** Letters beyond ASCII may become others of it in lower case. */
const BEYOND_ASCII = /[^!-~]/;

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
  const lowered = text.toLowerCase();
  if (text !== lowered && text !== text.toUpperCase()) {
    throw new SvcError('bad_address', 'mixes upper and lower case', { path });
  }
  const decoded = BEYOND_ASCII.test(text) ? undefined : decodeBech32m(lowered);
  if (decoded === undefined) {
    throw new SvcError('bad_address', 'not bech32m: a character or the checksum is wrong', {
      path,
    });
  }
  const network = networkOfPrefix(decoded.prefix);
  if (network === undefined) {
    const prefixes = Object.values(NETWORKS).map(({ prefix }) => prefix);
    throw new SvcError('wrong_network', `expected a prefix of ${prefixes.join(', ')}`, { path });
  }
  return { network, bytes: fromSymbols(decoded.symbols, path) };
}

export function encodeAddress(bytes: Uint8Array, network: Network, path = 'address'): string {
  checkAddressBytes(bytes, path);
  return encodeBech32m(NETWORKS[network].prefix, toSymbols(bytes));
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

function toSymbols(bytes: Uint8Array): Uint8Array {
  const symbols = new Uint8Array(1 + HASH_SYMBOLS);
  symbols[0] = bytes[0] as number;
  let bits = 0;
  let held = 0;
  for (let at = 1, symbol = 1; symbol <= HASH_SYMBOLS; symbol++) {
    if (held < 5) {
      bits = ((bits & 31) << 8) | (bytes[at++] ?? 0);
      held += 8;
    }
    held -= 5;
    symbols[symbol] = (bits >> held) & 31;
  }
  return symbols;
}

function fromSymbols(symbols: Uint8Array, path: string): Uint8Array {
  if (symbols.length !== 1 + HASH_SYMBOLS) {
    const found = `expected ${1 + HASH_SYMBOLS} symbols, found ${symbols.length}`;
    throw new SvcError('bad_address', found, { path });
  }
  const bytes = new Uint8Array(ADDRESS_BYTES);
  bytes[0] = symbols[0] as number;
  let bits = 0;
  let held = 0;
  for (let at = 1, symbol = 1; symbol <= HASH_SYMBOLS; symbol++) {
    bits = ((bits & 127) << 5) | (symbols[symbol] as number);
    held += 5;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = (bits >> held) & 255;
  }
  if (((symbols[HASH_SYMBOLS] as number) & 1) !== 0) {
    throw new SvcError('bad_address', 'the padding bit is not zero', { path });
  }
  checkAddressBytes(bytes, path);
  return bytes;
}
