/**
 * Expanded keys keep giving right verdicts when their slot is taken by others and when the kernel
 * has been restarted under them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelTwin } from '../../test/kernel-twins.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { slotTable } from './expanded-key.ts';
import type { MlDsa65 } from './ml-dsa.ts';

const MESSAGE = seededBytes('message', 48);

function signedKeys(mlDsa65: MlDsa65, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const { publicKey, secretKey } = mlDsa65.keygen(seededBytes(`key ${i}`, 32));
    return { key: mlDsa65.expand(publicKey), signature: mlDsa65.sign(secretKey, MESSAGE) };
  });
}

test('more keys than slots verify, each with its own key only', async () => {
  const { mlDsa65 } = await kernelTwin(true, { expandedKeySlots: 3 });
  const keys = signedKeys(mlDsa65, 7);
  for (const round of [1, 2, 3]) {
    for (const [i, { key, signature }] of keys.entries()) {
      assert.equal(mlDsa65.verify(key, MESSAGE, signature), true, `round ${round}, key ${i}`);
      const other = keys[(i + round) % keys.length];
      assert.equal(mlDsa65.verify(key, MESSAGE, other?.signature as Uint8Array), false);
    }
  }
});

test('a key stays what it was when the buffer it came from is used again', async () => {
  const { mlDsa65 } = await kernelTwin(true, { expandedKeySlots: 1 });
  const { publicKey, secretKey } = mlDsa65.keygen(seededBytes('key', 32));
  const signature = mlDsa65.sign(secretKey, MESSAGE);
  const buffer = Buffer.from(publicKey);
  const key = mlDsa65.expand(buffer);
  buffer.fill(0);
  key.publicKey.fill(0);
  signedKeys(mlDsa65, 1);
  assert.equal(mlDsa65.verify(key, MESSAGE, signature), true);
  assert.deepEqual(key.publicKey, publicKey);
});

test('the key used longest ago gives way', async () => {
  const { mlDsa65, instance } = await kernelTwin(true, { expandedKeySlots: 2 });
  const [a, b, c] = signedKeys(mlDsa65, 3).map(({ key }) => key);
  assert.ok(a && b && c);
  const table = slotTable(instance);
  const addressOfB = table.addressOf(b);
  const addressOfC = table.addressOf(c);
  assert.notEqual(addressOfB, addressOfC);
  assert.equal(table.addressOf(b), addressOfB);
  assert.equal(table.addressOf(a), addressOfC);
  assert.equal(table.addressOf(b), addressOfB);
});

test('a kernel without slots verifies with the key itself', async () => {
  const { mlDsa65 } = await kernelTwin(false, { expandedKeySlots: 0 });
  for (const { key, signature } of signedKeys(mlDsa65, 2)) {
    assert.equal(mlDsa65.verify(key, MESSAGE, signature), true);
    assert.equal(mlDsa65.verify(key, MESSAGE.subarray(1), signature), false);
  }
});

test('an expanded key outlives a trap of the kernel', async () => {
  const { mlDsa65, instance } = await kernelTwin(true, { expandedKeySlots: 2 });
  const [first] = signedKeys(mlDsa65, 1);
  assert.ok(first);
  const before = instance.generation;
  assert.throws(() => instance.invoke((exports) => exports.sha384(0xffff0000, 64, 0)), {
    code: 'kernel_trap',
  });
  assert.equal(instance.generation, before + 1);
  assert.equal(mlDsa65.verify(first.key, MESSAGE, first.signature), true);
  assert.equal(mlDsa65.verify(first.key, MESSAGE.subarray(1), first.signature), false);
});

test('an expanded key does not follow changes to the bytes it was made from', async () => {
  const { mlDsa65 } = await kernelTwin(true);
  const { publicKey, secretKey } = mlDsa65.keygen(seededBytes('key', 32));
  const given = publicKey.slice();
  const key = mlDsa65.expand(given);
  given.fill(0);
  key.publicKey.fill(0);
  assert.deepEqual(key.publicKey, publicKey);
  assert.equal(mlDsa65.verify(key, MESSAGE, mlDsa65.sign(secretKey, MESSAGE)), true);
});
