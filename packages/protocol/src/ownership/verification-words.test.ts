import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { WORD_LIST } from '../keys/word-list.ts';
import { encodeAddress } from '../text/address.ts';
import { burnAddress } from '../text/address-documents.ts';
import { addressVerificationWords } from './verification-words.ts';

await init();

test('[WASM-09] an address has six words of the list, the same in either case', () => {
  const address = burnAddress('mainnet');
  const words = addressVerificationWords(address);
  assert.equal(words.split(' ').length, 6);
  assert.ok(words.split(' ').every((word) => WORD_LIST.includes(word)));
  assert.equal(addressVerificationWords(address.toUpperCase()), words);
});

test('[WASM-09] words change with every bit of the address and with the network', () => {
  const words = new Set<string>();
  for (let bit = 0; bit < 384; bit++) {
    const bytes = new Uint8Array(49);
    bytes[1 + (bit >> 3)] = 1 << (bit & 7);
    words.add(addressVerificationWords(encodeAddress(bytes, 'mainnet')));
  }
  for (const network of ['mainnet', 'testnet', 'testnet100', 'development'] as const) {
    words.add(addressVerificationWords(burnAddress(network)));
  }
  assert.equal(words.size, 388);
});

test('the words of the burn addresses are frozen', () => {
  assert.equal(
    addressVerificationWords(burnAddress('mainnet')),
    'blood blur case track race rescue',
  );
  assert.equal(
    addressVerificationWords(burnAddress('development')),
    'speed obey stereo multiply category acid',
  );
});

test('what is no address has no words', () => {
  assert.throws(() => addressVerificationWords('svc1qqq'), SvcError);
});
