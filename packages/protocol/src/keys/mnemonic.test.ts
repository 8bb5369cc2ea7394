import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromHex, toHex } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { mnemonicEntropy, mnemonicFromEntropy } from './mnemonic.ts';

const zeros = `${'abandon '.repeat(23)}art`;

function refused(pattern: RegExp, words: unknown, code = 'bad_mnemonic'): void {
  assert.throws(
    () => mnemonicEntropy(words as string),
    (error) => error instanceof SvcError && error.code === code && pattern.test(error.message),
  );
}

test('[WASM-08] entropy survives 24 words and back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (entropy) => {
      const words = mnemonicFromEntropy(entropy);
      assert.equal(words.split(' ').length, 24);
      assert.deepEqual(mnemonicEntropy(words), entropy);
    }),
  );
});

test('[WASM-08] published phrases of BIP-39 are met', () => {
  const table: Record<string, string> = {
    [zeros]: '00'.repeat(32),
    'zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo vote':
      'ff'.repeat(32),
    'letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor acoustic bless':
      '80'.repeat(32),
    'void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space point ten exist slush involve unfold':
      'f585c11aec520db57dd353c69554b21a89b20fb0650966fa0a9d6f74fd989d8f',
  };
  for (const [words, entropy] of Object.entries(table)) {
    assert.equal(toHex(mnemonicEntropy(words)), entropy);
    assert.equal(mnemonicFromEntropy(fromHex(entropy)), words);
  }
});

test('letter case, white space and full-width letters do not matter', () => {
  const written = `\n\t ${zeros.toUpperCase().replaceAll(' ', ' \u3000\r\n')}  `;
  assert.deepEqual(mnemonicEntropy(written), new Uint8Array(32));
  assert.deepEqual(mnemonicEntropy(zeros.replace('art', 'ａｒｔ')), new Uint8Array(32));
});

test('a wrong phrase is refused with its reason, and no word is repeated in it', () => {
  refused(
    /word 3 of 24 is not in the list/,
    zeros.replace('abandon abandon abandon', 'abandon abandon secretword'),
  );
  refused(/word 24 of 24/, zeros.replace('art', 'arts'));
  refused(/expected 24 words, found 23/, 'abandon '.repeat(23));
  refused(/expected 24 words, found 12/, `${'abandon '.repeat(11)}about`);
  refused(/expected 24 words, found 25/, `${zeros} art`);
  refused(/expected 24 words, found 0/, '');
  refused(/expected 24 words, found 0/, ' \n ');
  refused(/checksum/, 'abandon '.repeat(24));
  refused(/checksum/, zeros.replace('art', 'zoo'));
  refused(/at most 1024/, 'abandon '.repeat(100_000));
  refused(/valid Unicode/, `\ud800 ${zeros}`);
  for (const value of [undefined, null, 7, {}, []]) refused(/expected a string/, value, 'bad_type');
  assert.throws(
    () => mnemonicEntropy(zeros.replace('art', 'secretword')),
    (error) => {
      const { message, stack, cause } = error as Error;
      return !/secretword|abandon/.test(`${message} ${stack} ${String(cause)}`);
    },
  );
});

test('entropy is exactly 32 bytes', () => {
  for (const length of [0, 16, 31, 33]) {
    assert.throws(() => mnemonicFromEntropy(new Uint8Array(length)), SvcError);
  }
  assert.throws(() => mnemonicFromEntropy('00'.repeat(32) as unknown as Uint8Array), SvcError);
});
