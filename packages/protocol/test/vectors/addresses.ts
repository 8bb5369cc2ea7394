/**
 * Addresses of section 3: bytes and text, multisig policies, and what is refused.
 */
import { bech32, bech32m } from '@scure/base';
import { concatBytes, toHex } from '../../src/base/bytes.ts';
import type { Network } from '../../src/base/networks.ts';
import { NETWORKS } from '../../src/base/networks.ts';
import { keyHash } from '../../src/kernel/hash-label.ts';
import {
  createMultisigDescriptor,
  multisigAddressBytes,
  parseMultisigDescriptor,
} from '../../src/multisig/descriptor.ts';
import { encodeAddress } from '../../src/text/address.ts';
import { parseAddress } from '../../src/text/address-documents.ts';
import { person } from '../transaction-fixture.ts';
import { refusedTexts } from './refused.ts';

const BURN = Uint8Array.of(2, ...new Uint8Array(48));

function texts(bytes: Uint8Array): Record<Network, string> {
  const networks = Object.keys(NETWORKS) as Network[];
  return Object.fromEntries(
    networks.map((network) => [network, encodeAddress(bytes, network)]),
  ) as Record<Network, string>;
}

function keyAddress(): object {
  const { publicKey, addressBytes } = person(0);
  return {
    type: 'key',
    public_key_hex: toHex(publicKey),
    key_hash: toHex(keyHash(publicKey)),
    address_hex: toHex(addressBytes),
    texts: texts(addressBytes),
  };
}

function multisigAddress(threshold: number, members: number): object {
  const keys = Array.from({ length: members }, (_, index) => toHex(person(index).publicKey));
  const json = createMultisigDescriptor(String(threshold), JSON.stringify(keys));
  const descriptor = parseMultisigDescriptor(json);
  const bytes = multisigAddressBytes(descriptor);
  return {
    type: 'multisig',
    threshold: String(threshold),
    key_hashes: descriptor.members.map((member) => toHex(member.keyHash)),
    address_hex: toHex(bytes),
    texts: texts(bytes),
  };
}

function refused(): object[] {
  const { addressBytes, address } = person(0);
  const { words } = bech32m.decode(address as `${string}1${string}`);
  const written = (prefix: string, symbols: readonly number[]): string =>
    bech32m.encode(prefix, [...symbols]);
  const last = words[words.length - 1] ?? 0;
  const burnWords = bech32m.toWords(concatBytes(Uint8Array.of(1), new Uint8Array(47)));
  return refusedTexts('text', (text) => parseAddress(text), {
    'one character changed': `${address.slice(0, 40)}${address[40] === 'q' ? 'p' : 'q'}${address.slice(41)}`,
    'both letter cases': `D${address.slice(1)}`,
    'the checksum of bech32': bech32.encode('dsvc', words),
    'an unknown prefix': written('xsvc', words),
    'a symbol too few': written('dsvc', words.slice(0, -1)),
    'a symbol too many': written('dsvc', [...words, 0]),
    'the padding bit set': written('dsvc', [...words.slice(0, -1), last | 1]),
    'the type 3': written('dsvc', [3, ...words.slice(1)]),
    'a burn address of another value': written('dsvc', [2, ...burnWords]),
    'the bytes as hexadecimal': toHex(addressBytes),
    'white space around it': ` ${address}`,
    nothing: '',
  });
}

export function addressVectors(): object {
  return {
    note: 'Addresses of section 3 of docs/protocol.md: a key, both multisig policies and the burn address, as bytes and as text on each network, and texts that must be refused.',
    addresses: [
      keyAddress(),
      multisigAddress(2, 3),
      multisigAddress(3, 5),
      { type: 'burn', address_hex: toHex(BURN), texts: texts(BURN) },
    ],
    refused: refused(),
  };
}
