/**
 * SHA-384 and Keccak against OpenSSL and noble, over every length around their block sizes.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { keccak_256, keccak_512 } from '@noble/hashes/sha3.js';
import { kernelTwins } from '../../test/kernel-twins.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { init } from '../entry/node.ts';
import type { KernelInstance } from './instance.ts';
import { sha384, sha384With } from './sha384.ts';

function keccak(instance: KernelInstance, bits: 256 | 512, message: Uint8Array): Uint8Array {
  const { bytes, input, output } = instance;
  bytes.set(message, input);
  const call = bits === 256 ? instance.exports.keccak256 : instance.exports.keccak512;
  instance.invoke(() => call(input, message.length, output));
  return bytes.slice(output, output + bits / 8);
}

for (const { name, instance } of await kernelTwins({ expandedKeySlots: 0 })) {
  test(`SHA-384 is OpenSSL's for every length up to 300 bytes (${name})`, () => {
    const bytes = seededBytes('text', 300);
    for (let length = 0; length <= 300; length++) {
      const message = bytes.subarray(0, length);
      assert.deepEqual(
        sha384With(instance, message),
        new Uint8Array(hash('sha384', message, 'buffer')),
      );
    }
  });

  test(`SHA-384 takes more bytes than the kernel's input holds (${name})`, () => {
    for (const length of [524287, 524288, 524289, 1048576, 1300001]) {
      const message = seededBytes('long text', length);
      assert.deepEqual(
        sha384With(instance, message),
        new Uint8Array(hash('sha384', message, 'buffer')),
      );
    }
  });

  test(`SHA-384 in parts is SHA-384 at once (${name})`, () => {
    const message = seededBytes('parts', 700);
    const { bytes, input, output } = instance;
    for (const part of [1, 7, 64, 127, 128, 129, 300]) {
      bytes.set(message, input);
      instance.exports.sha384Begin();
      for (let at = 0; at < message.length; at += part) {
        instance.exports.sha384Update(input + at, Math.min(part, message.length - at));
      }
      instance.exports.sha384End(output);
      assert.deepEqual(
        bytes.slice(output, output + 48),
        new Uint8Array(hash('sha384', message, 'buffer')),
      );
    }
  });

  test(`Keccak-256 and Keccak-512 are noble's for every length up to 300 bytes (${name})`, () => {
    const bytes = seededBytes('text', 300);
    for (let length = 0; length <= 300; length++) {
      const message = bytes.subarray(0, length);
      assert.deepEqual(keccak(instance, 256, message), keccak_256(message));
      assert.deepEqual(keccak(instance, 512, message), keccak_512(message));
    }
  });
}

test('SHA-384 of what is not bytes is refused', async () => {
  await init();
  assert.throws(() => sha384('text' as unknown as Uint8Array), { code: 'bad_type', path: 'bytes' });
  assert.equal(sha384(new Uint8Array(0)).length, 48);
});
