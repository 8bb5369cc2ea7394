import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toHex } from '../base/bytes.ts';
import { init } from '../entry/node.ts';
import { mnemonicFromEntropy } from './mnemonic.ts';
import { installedStretch, installStretch, stretchWords } from './stretch-words.ts';

await init();

/** Of the vectors that BIP-39 publishes, those of 24 words; their passphrase is `TREZOR`. */
const PUBLISHED: Readonly<Record<string, string>> = {
  '00': 'bda85446c68413707090a52022edd26a1c9462295029f2e60cd7c4f2bbd3097170af7a4d73245cafa9c3cca8d561a7c3de6f5d4a10be8ed2a5e608d68f92fcc8',
  ff: 'dd48c104698c30cfe2b6142103248622fb7bb0ff692eebb00089b32d22484e1613912f0a5b694407be899ffd31ed3992c456cdf60f5d4564b8ba3f05a69890ad',
};

test('[WASM-08] published seeds of BIP-39 are met, by the engine and without it', (t) => {
  const engine = installedStretch();
  t.after(() => installStretch(engine));
  assert.ok(engine !== undefined);
  for (const stretch of [engine, undefined]) {
    installStretch(stretch);
    for (const [byte, seed] of Object.entries(PUBLISHED)) {
      const words = mnemonicFromEntropy(new Uint8Array(32).fill(Number.parseInt(byte, 16)));
      assert.equal(toHex(stretchWords(words, 'TREZOR')), seed);
    }
  }
});

test('the engine and the portable form make the same seed of any passphrase', (t) => {
  const engine = installedStretch();
  t.after(() => installStretch(engine));
  const entropy = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const passphrase = fc.string({ unit: 'grapheme', maxLength: 64 });
  fc.assert(
    fc.property(entropy, passphrase, (bytes, text) => {
      const words = mnemonicFromEntropy(bytes);
      installStretch(engine);
      const seed = stretchWords(words, text);
      installStretch(undefined);
      assert.equal(toHex(seed), toHex(stretchWords(words, text)));
    }),
    { numRuns: 20 },
  );
});
