import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SvcError } from '../base/svc-error.ts';
import { expectKernelBytes, expectKernelExports } from './expect-kernel.ts';

const read = (name: string) => readFileSync(new URL(`../../build/${name}`, import.meta.url));
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

test('the kernels of this release are taken, and no other bytes', async () => {
  await expectKernelBytes(read('svc.wasm'));
  await expectKernelBytes(read('svc.scalar.wasm'));
  const changed = new Uint8Array(read('svc.wasm'));
  changed[changed.length - 1] = (changed[changed.length - 1] as number) ^ 1;
  for (const bytes of [read('svc.pow.wasm'), EMPTY_MODULE, changed]) {
    await assert.rejects(expectKernelBytes(bytes), {
      code: 'kernel_unavailable',
      message: /SHA-256 [0-9a-f]{64} or [0-9a-f]{64}; found [0-9a-f]{64}/,
    });
  }
  for (const bytes of [new Uint8Array(0), new TextEncoder().encode('<!doctype html>\u0007')]) {
    await assert.rejects(expectKernelBytes(bytes), SvcError);
  }
});

test('a module with other exports is refused by name', () => {
  for (const name of ['svc.wasm', 'svc.scalar.wasm']) {
    expectKernelExports(new WebAssembly.Module(read(name)));
  }
  for (const bytes of [read('svc.pow.wasm'), EMPTY_MODULE]) {
    assert.throws(() => expectKernelExports(new WebAssembly.Module(bytes)), {
      code: 'kernel_unavailable',
      message: /without .*txVerify/,
    });
  }
});
