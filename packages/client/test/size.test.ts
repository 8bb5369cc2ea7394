import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const BYTES_MAX = 16 * 1024;

test('the client is small, and nothing in it needs Node', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ['svc-wasm', 'svc-wasm/*'],
    write: false,
    logLevel: 'silent',
  });
  const [bundle] = outputFiles;
  assert.ok(bundle !== undefined);
  assert.doesNotMatch(bundle.text, /node:[a-z]|typebox|process\./);
  const bytes = gzipSync(bundle.contents).length;
  assert.ok(bytes <= BYTES_MAX, `${bytes} bytes, at most ${BYTES_MAX}`);
});
