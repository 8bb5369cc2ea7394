import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { newProject, releaseUnderTest } from '../release-under-test.ts';

const run = promisify(execFile);

/** Runs a script in a project of its own with the release installed; answers its output. */
async function runInProject(name: string, source: string): Promise<string> {
  const project = await newProject();
  writeFileSync(join(project, name), source);
  const { stdout } = await run(process.execPath, [join(project, name)], { timeout: 240_000 });
  return stdout.trim();
}

const USE = `
  const before = svc.SvcError && (() => {
    try { svc.addressFromPublicKey(new Uint8Array(1952), 'development'); }
    catch (error) { return error.code; }
  })();
  const first = svc.init();
  const shared = first === svc.init();
  await first;
  const address = svc.addressFromPublicKey(new Uint8Array(1952).fill(7), 'development');
  process.stdout.write(JSON.stringify({ before, shared, address: svc.parseAddress(address) }));
`;

function checkUse(output: string): void {
  const { before, shared, address } = JSON.parse(output);
  assert.equal(before, 'not_initialized');
  assert.equal(shared, true);
  assert.equal(JSON.parse(address).network, 'development');
}

test('the package works for an ES module in Node', async () => {
  checkUse(await runInProject('main.mjs', `import * as svc from 'svc-wasm';\n${USE}`));
});

test('the package works for a CommonJS program in Node, by require', async () => {
  const source = `const svc = require('svc-wasm');\n(async () => {${USE}})();`;
  checkUse(await runInProject('main.cjs', source));
});

test('svc-wasm/inline works without any file of the kernel', async () => {
  checkUse(await runInProject('main.mjs', `import * as svc from 'svc-wasm/inline';\n${USE}`));
});

test('svc-wasm/kernel shares the kernel that init has loaded', async () => {
  const output = await runInProject(
    'main.mjs',
    `import { init } from 'svc-wasm';
     import { mlDsa65, pow, sha384 } from 'svc-wasm/kernel';
     await init();
     const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32));
     const signature = mlDsa65.sign(secretKey, Uint8Array.of(1));
     process.stdout.write(JSON.stringify([
       Buffer.from(sha384(new TextEncoder().encode('abc'))).toString('hex'),
       mlDsa65.verify(publicKey, Uint8Array.of(1), signature),
       typeof pow.light,
     ]));`,
  );
  assert.deepEqual(JSON.parse(output), [
    'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7',
    true,
    'function',
  ]);
});

test('init can be tried again after it failed, and refuses another kernel than its own', async () => {
  const { folder } = await releaseUnderTest();
  const output = await runInProject(
    'main.mjs',
    `import { copyFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
     import { join } from 'node:path';
     const folder = new URL('./own', import.meta.url).pathname;
     cpSync(${JSON.stringify(folder)}, folder, { recursive: true });
     const kernel = join(folder, 'svc.wasm');
     const { init } = await import(join(folder, 'node.js'));
     const codes = [];
     const attempt = () => init().then(() => codes.push('ok'), (error) => codes.push(error.code));
     rmSync(kernel);
     await attempt();
     writeFileSync(kernel, '<!doctype html>');
     await attempt();
     copyFileSync(join(folder, 'svc.pow.wasm'), kernel);
     await attempt();
     copyFileSync(${JSON.stringify(join(folder, 'svc.wasm'))}, kernel);
     await attempt();
     process.stdout.write(JSON.stringify(codes));`,
  );
  const refused = 'kernel_unavailable';
  assert.deepEqual(JSON.parse(output), [refused, refused, refused, 'ok']);
});
