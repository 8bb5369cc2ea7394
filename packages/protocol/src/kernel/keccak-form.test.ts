/**
 * The forms of Keccak: which one the kernel chooses, and that both compute the same. The suites of ML-DSA, SHA-384 and
 * certificates run on both forms as well (`test/kernel-twins.ts`).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelTwin } from '../../test/kernel-twins.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { KECCAK_FORMS, type KeccakForm } from './keccak-form.ts';

const SEEDS = 300;

test('a kernel chooses the form that suits the processor by itself', async () => {
  const suitable = process.arch === 'x64' || process.arch === 'ia32' ? 'vectors' : 'mixture';
  for (const simd of [true, false]) {
    const { instance } = await kernelTwin(simd, { expandedKeySlots: 0 });
    assert.equal(instance.keccak, suitable);
  }
});

test('a form that is asked for outlives a restart of the kernel', async () => {
  for (const keccak of KECCAK_FORMS) {
    const { instance } = await kernelTwin(true, { expandedKeySlots: 0, keccak });
    assert.equal(instance.keccak, keccak);
    const { generation } = instance;
    const trap = () => instance.invoke((exports) => exports.sha384(0xffff0000, 1024, 0));
    assert.throws(trap, { code: 'kernel_trap' });
    assert.equal(instance.generation, generation + 1);
    assert.equal(instance.keccak, keccak);
  }
});

test('a form that no kernel has is refused', async () => {
  for (const keccak of ['words', '', 1, null] as unknown as KeccakForm[]) {
    await assert.rejects(kernelTwin(true, { keccak }), { code: 'out_of_range', path: 'keccak' });
  }
});

test(`both forms make the same keys of ${SEEDS} seeds, and the same expanded keys`, async () => {
  const kernels = await Promise.all([
    kernelTwin(true, { expandedKeySlots: 1, keccak: 'mixture' }),
    kernelTwin(true, { expandedKeySlots: 1, keccak: 'vectors' }),
    kernelTwin(false, { expandedKeySlots: 1 }),
  ]);
  for (let i = 0; i < SEEDS; i++) {
    const seed = seededBytes(`both forms ${i}`, 32);
    const [first, ...others] = kernels.map(({ instance, mlDsa65 }) => {
      const { publicKey, secretKey } = mlDsa65.keygen(seed);
      const { bytes, input } = instance;
      const slot = instance.exports.heapBase();
      bytes.set(publicKey, input);
      instance.invoke((exports) => exports.mldsaExpand(input, slot));
      const expanded = bytes.slice(slot, slot + instance.exports.mldsaExpandedKeyBytes());
      return Buffer.concat([publicKey, secretKey, expanded]);
    });
    for (const other of others) assert.ok(first?.equals(other), `seed ${i}`);
  }
});
