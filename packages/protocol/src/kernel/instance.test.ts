/**
 * A trap in the kernel is an error of one call, not the end of the module.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { kernelTwins } from '../../test/kernel-twins.ts';
import { init } from '../entry/node.ts';
import { installKernel, kernel } from './current.ts';
import { sha384With } from './sha384.ts';

for (const { name, instance } of await kernelTwins({ expandedKeySlots: 0 })) {
  test(`a trap wipes and restarts the kernel, which then works (${name})`, () => {
    const { generation, bytes } = instance;
    bytes.fill(7, instance.input, instance.input + 64);
    assert.throws(
      () => instance.invoke((exports) => exports.sha384(0xffff0000, 1024, instance.output)),
      { name: 'SvcError', code: 'kernel_trap', message: /out of bounds/ },
    );
    assert.equal(instance.generation, generation + 1);
    assert.equal(
      bytes.every((byte) => byte === 0),
      true,
    );
    const message = Uint8Array.of(1, 2, 3);
    assert.deepEqual(
      sha384With(instance, message),
      new Uint8Array(hash('sha384', message, 'buffer')),
    );
  });

  test(`a kernel that found no memory stays out of use until a call finds some (${name})`, async (t) => {
    await init();
    const installed = kernel();
    const trap = () =>
      instance.invoke((exports) => exports.sha384(0xffff0000, 1024, instance.output));
    const message = Uint8Array.of(1, 2, 3);
    const memory = t.mock.method(WebAssembly, 'Memory', () => {
      throw new RangeError('could not allocate memory');
    });
    assert.throws(trap, { name: 'SvcError', code: 'kernel_unavailable' });
    assert.throws(() => sha384With(instance, message), { code: 'kernel_unavailable' });
    assert.throws(() => instance.ensureRunning(), { code: 'kernel_unavailable' });
    memory.mock.restore();
    assert.throws(() => sha384With(instance, message), { code: 'kernel_unavailable' });
    installKernel(instance);
    t.after(() => installKernel(installed));
    assert.equal(kernel(), instance);
    assert.deepEqual(
      sha384With(instance, message),
      new Uint8Array(hash('sha384', message, 'buffer')),
    );
  });

  test(`an error that the caller throws inside a run passes through (${name})`, () => {
    const { generation } = instance;
    const error = new TypeError('mine');
    const failing = () => {
      throw error;
    };
    assert.throws(
      () => instance.invoke(failing),
      (thrown) => thrown === error,
    );
    assert.equal(instance.generation, generation);
  });
}
