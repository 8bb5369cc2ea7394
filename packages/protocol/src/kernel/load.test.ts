/**
 * Loading the kernel: refusals, and the hint of a call before it.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { kernelUrl } from '../entry/kernel-url.ts';
import { init } from '../entry/node.ts';
import { installKernel, kernel } from './current.ts';
import { compileKernel, hasSimd, type loadKernel as load } from './load.ts';

const encode = (text: string) => new TextEncoder().encode(text);

/** A copy of a module with its own state, as in a realm that has loaded nothing. */
function freshModule(name: string, tag = 'fresh'): Promise<Record<string, unknown>> {
  return import(new URL(`./${name}?${tag}`, import.meta.url).href);
}

test('a call before init says to wait for init', async () => {
  const { kernel: freshKernel } = (await freshModule('current.ts')) as { kernel: typeof kernel };
  assert.throws(() => freshKernel(), {
    name: 'SvcError',
    code: 'not_initialized',
    message: 'call `await init()` before any other function',
  });
});

test('init may be called again and keeps the kernel it has', async () => {
  await init();
  const first = kernel();
  await Promise.all([init(), init()]);
  assert.equal(kernel(), first);
});

test('a page served in place of the kernel is named in the error', async () => {
  const page = async () => encode('<!doctype html><title>Not found</title>');
  await assert.rejects(compileKernel(page), {
    code: 'kernel_unavailable',
    message: /found 39 bytes that begin with "<!doctype html><title>No"/,
  });
});

test('bytes that are cut short, empty or another module are refused', async () => {
  const whole = await readFile(kernelUrl(true));
  const empty = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
  for (const bytes of [whole.subarray(0, 1000), new Uint8Array(0), empty]) {
    await assert.rejects(
      compileKernel(async () => Uint8Array.from(bytes)),
      { code: 'kernel_unavailable' },
    );
  }
});

test('a source that fails is reported with its cause, and loading can be tried again', async () => {
  await init();
  const before = kernel();
  const { loadKernel } = (await freshModule('load.ts')) as { loadKernel: typeof load };
  const cause = new Error('no such file');
  const failing = () => Promise.reject(cause);
  const working = () => readFile(kernelUrl(true));
  const unavailable = { code: 'kernel_unavailable', cause };
  await assert.rejects(loadKernel({ simd: failing, scalar: failing }), unavailable);
  assert.equal(kernel(), before);
  try {
    await loadKernel({ simd: working, scalar: working });
    assert.notEqual(kernel(), before);
  } finally {
    installKernel(before);
  }
});

test('a later init that asks for other options is refused, one that asks for the same waits', async () => {
  await init();
  const before = kernel();
  try {
    const { loadKernel } = (await freshModule('load.ts', 'second')) as { loadKernel: typeof load };
    const working = () => readFile(kernelUrl(true));
    const sources = { simd: working, scalar: working };
    const url = 'https://example.org/svc.wasm';
    await loadKernel(sources, { expandedKeySlots: 4, url });
    const first = kernel();
    for (const same of [{}, { expandedKeySlots: 4 }, { simd: true }, { url: new URL(url) }])
      await loadKernel(sources, same);
    const module = await WebAssembly.compile(await working());
    const others = { expandedKeySlots: 5, simd: false, url: `${url}?2`, module };
    for (const [path, value] of Object.entries(others)) {
      const code = 'already_initialized';
      await assert.rejects(loadKernel(sources, { [path]: value }), { code, path });
    }
    assert.equal(kernel(), first);
  } finally {
    installKernel(before);
  }
});

test('a compiled module is taken where its exports are those of a kernel', async () => {
  const never = () => Promise.reject(new Error('no bytes are read'));
  const module = await WebAssembly.compile(await readFile(kernelUrl(true)));
  const instance = await compileKernel(never, { module });
  assert.ok(instance.exports.mldsaExpandedKeyBytes() > 0);
  const empty = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  await assert.rejects(compileKernel(never, { module: empty }), { code: 'kernel_unavailable' });
  const text = 'svc.wasm' as unknown as WebAssembly.Module;
  await assert.rejects(compileKernel(never, { module: text }), { code: 'bad_type' });
});

test('a number of slots out of range is refused', async () => {
  const source = () => readFile(kernelUrl(true));
  for (const expandedKeySlots of [-1, 1.5, Number.NaN, 16385]) {
    const path = 'expandedKeySlots';
    await assert.rejects(compileKernel(source, { expandedKeySlots }), {
      code: 'out_of_range',
      path,
    });
  }
});

test('this engine has SIMD, so the SIMD build is the one that init takes', () => {
  assert.equal(hasSimd(), true);
});
