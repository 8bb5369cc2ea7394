import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SvcError } from '../base/svc-error.ts';
import { expectKernelBytes, expectKernelExports } from './expect-kernel.ts';

const read = (name: string) => readFileSync(new URL(`../../build/${name}`, import.meta.url));
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

test('the kernels of this release are taken, and no other bytes', () => {
  expectKernelBytes(read('svc.wasm'));
  expectKernelBytes(read('svc.scalar.wasm'));
  const changed = new Uint8Array(read('svc.wasm'));
  changed[changed.length - 1] = (changed[changed.length - 1] as number) ^ 1;
  for (const bytes of [read('svc.pow.wasm'), EMPTY_MODULE, changed]) {
    assert.throws(() => expectKernelBytes(bytes), {
      code: 'kernel_unavailable',
      message: /SHA-256 [0-9a-f]{64} or [0-9a-f]{64}; found [0-9a-f]{64}/,
    });
  }
  for (const bytes of [new Uint8Array(0), new TextEncoder().encode('<!doctype html>\u0007')]) {
    assert.throws(() => expectKernelBytes(bytes), SvcError);
  }
});

test('one changed bit anywhere is found, also where the engine offers no hash', (t) => {
  t.mock.getter(globalThis.crypto, 'subtle', () => undefined);
  const kernel = new Uint8Array(read('svc.wasm'));
  expectKernelBytes(kernel);
  for (let place = 0; place < 20; place++) {
    const changed = kernel.slice();
    const at = 8 + Math.floor(((kernel.length - 9) * place) / 19);
    changed[at] = (changed[at] as number) ^ (1 << (place % 8));
    assert.throws(() => expectKernelBytes(changed), { code: 'kernel_unavailable' });
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
