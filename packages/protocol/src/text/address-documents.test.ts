import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha384 as sha384Reference } from '@noble/hashes/sha2.js';
import { toHex } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { encodeAddress } from './address.ts';
import { addressFromPublicKey, burnAddress, parseAddress } from './address-documents.ts';

await init();

const networks = ['mainnet', 'testnet', 'testnet100', 'development'] as const;
const publicKey = new Uint8Array(1952).fill(5);

function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => error instanceof SvcError && error.code === code);
}

test('[WASM-05] [WASM-13] the address of a public key names network, type and key hash', () => {
  const labelled = Buffer.concat([Buffer.from('SVC_KEY_V1'), publicKey]);
  const hash = toHex(sha384Reference(labelled));
  for (const network of networks) {
    const address = addressFromPublicKey(publicKey, network);
    assert.deepEqual(JSON.parse(parseAddress(address)), { network, type: 'key', hash });
    assert.equal(parseAddress(address, network), parseAddress(address.toUpperCase()));
  }
});

test('[WASM-05] the burn address of each network has a hash of zeros', () => {
  for (const network of networks) {
    assert.deepEqual(JSON.parse(parseAddress(burnAddress(network), network)), {
      network,
      type: 'burn',
      hash: '00'.repeat(48),
    });
  }
});

test('a multisig address is recognised', () => {
  const address = encodeAddress(Uint8Array.of(1, ...new Uint8Array(48).fill(9)), 'testnet');
  assert.equal((JSON.parse(parseAddress(address)) as { type: string }).type, 'multisig');
});

test('[WASM-13] any network but the four is refused', () => {
  for (const network of ['', 'Mainnet', 'main', '__proto__', 'toString', 7, null, undefined, {}]) {
    refused('wrong_network', () => burnAddress(network as string));
    refused('wrong_network', () => addressFromPublicKey(publicKey, network as string));
  }
  refused('wrong_network', () => parseAddress(burnAddress('mainnet'), 'testnet'));
  refused('wrong_network', () => parseAddress(burnAddress('mainnet'), 'moon'));
});

test('public keys of another length are refused', () => {
  refused('bad_length', () => addressFromPublicKey(new Uint8Array(1951), 'mainnet'));
  refused('bad_type', () => addressFromPublicKey('00' as unknown as Uint8Array, 'mainnet'));
});
