/**
 * After key generation and signing the kernel's memory holds nothing but public data: every byte is
 * compared with that of a fresh instance, and each difference must be explained.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelTwin } from '../../test/kernel-twins.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { LABELS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { kernel } from './current.ts';
import { hashLabel, hashSecret } from './hash-label.ts';
import type { KernelInstance } from './instance.ts';

const SEED = seededBytes('seed', 32);
const RANDOM = seededBytes('random', 32);
const MESSAGE = seededBytes('message', 100);
const CONTEXT = seededBytes('context', 20);
const MATRIX_BYTES = 30 * 1024;

/** Clears each public value in memory, so that the remaining bytes are unexplained. */
function clear(memory: Buffer, explained: readonly Uint8Array[]): void {
  for (const bytes of explained) {
    for (let at = memory.indexOf(bytes); at >= 0; at = memory.indexOf(bytes)) {
      memory.fill(0, at, at + bytes.length);
    }
  }
}

/** Offsets at which two memories differ. */
function differences(a: Uint8Array, b: Uint8Array): number[] {
  const found: number[] = [];
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) found.push(i);
  return found;
}

async function matrixOf(publicKey: Uint8Array): Promise<Uint8Array> {
  const { instance } = await kernelTwin(true, { expandedKeySlots: 1 });
  const { bytes, input } = instance;
  bytes.set(publicKey, input);
  const slot = instance.exports.heapBase();
  instance.invoke((exports) => exports.mldsaExpand(input, slot));
  return bytes.slice(slot, slot + MATRIX_BYTES);
}

function copyOf(instance: KernelInstance): Buffer {
  return Buffer.from(instance.bytes);
}

const KERNELS = [
  { name: 'SIMD, Keccak mixture', simd: true, keccak: 'mixture' },
  { name: 'SIMD, Keccak vectors', simd: true, keccak: 'vectors' },
  { name: 'scalar', simd: false, keccak: 'mixture' },
] as const;

for (const { name, simd, keccak } of KERNELS) {
  const emptyTwin = () => kernelTwin(simd, { expandedKeySlots: 0, keccak });

  test(`key generation leaves nothing secret in memory (${name})`, async () => {
    const { instance, mlDsa65 } = await emptyTwin();
    const fresh = copyOf(instance);
    const { publicKey, secretKey } = mlDsa65.keygen(SEED);
    const used = copyOf(instance);
    assert.ok(differences(fresh, used).length > MATRIX_BYTES / 2);
    clear(used, [await matrixOf(publicKey), publicKey]);
    assert.deepEqual(differences(fresh, used), []);
    assert.equal(secretKey.length, 4032);
  });

  test(`signing leaves nothing secret in memory (${name})`, async () => {
    const { mlDsa65: other } = await kernelTwin(true);
    const { publicKey, secretKey } = other.keygen(SEED);
    const { instance, mlDsa65 } = await emptyTwin();
    const fresh = copyOf(instance);
    const signature = mlDsa65.sign(secretKey, MESSAGE, { context: CONTEXT, random: RANDOM });
    const used = copyOf(instance);
    assert.ok(differences(fresh, used).length > MATRIX_BYTES / 2);
    const rho = publicKey.subarray(0, 32);
    clear(used, [await matrixOf(publicKey), rho, signature, MESSAGE, CONTEXT]);
    assert.deepEqual(differences(fresh, used), []);
  });

  test(`a failed signing call leaves nothing secret in memory (${name})`, async () => {
    const { instance, mlDsa65 } = await emptyTwin();
    const fresh = copyOf(instance);
    const { secretKey } = (await kernelTwin(true)).mlDsa65.keygen(SEED);
    const badRandom = () => mlDsa65.sign(secretKey, MESSAGE, { random: RANDOM.subarray(1) });
    assert.throws(badRandom, { code: 'bad_length' });
    const used = copyOf(instance);
    clear(used, [MESSAGE]);
    assert.deepEqual(differences(fresh, used), []);
  });
}

test('hashing a secret leaves nothing of it in memory', async () => {
  await init();
  for (const length of [16, 32, 64, 111, 112, 200]) {
    const secret = seededBytes(`secret ${length}`, length);
    const expected = hashLabel(LABELS.fingerprint, secret);
    hashLabel(LABELS.fingerprint, new Uint8Array(length));
    assert.deepEqual(hashSecret(LABELS.fingerprint, secret), expected);
    const memory = copyOf(kernel());
    for (const part of [secret.subarray(0, 16), secret.subarray(-16), expected]) {
      assert.equal(memory.indexOf(part), -1);
    }
  }
});
