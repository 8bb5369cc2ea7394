import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import {
  builtKernels,
  hashFiles,
  kernelDifferences,
  recordedKernels,
} from '../../../../tools/release/hashes.ts';
import { makeRelease } from '../../../../tools/release/release.ts';
import { BROWSER_GZIP_BYTES_MAX, downloadSize } from '../../../../tools/release/size.ts';
import { releaseUnderTest } from '../release-under-test.ts';

function readJson(...path: string[]): Record<string, unknown> {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>;
}

function targetsOf(exports: unknown): string[] {
  if (typeof exports === 'string') return [exports];
  return Object.values(exports as Record<string, unknown>).flatMap(targetsOf);
}

test('[VER-07] release.json holds the SHA-256 of every file of the package', async () => {
  const { folder } = await releaseUnderTest();
  const { 'release.json': own, ...files } = hashFiles(folder);
  assert.ok(own);
  assert.deepEqual(readJson(folder, 'release.json')['files'], files);
  for (const name of ['node.js', 'browser.js', 'inline.js', 'svc.wasm', 'svc.scalar.wasm']) {
    assert.match(files[name] ?? '', /^[0-9a-f]{64}$/);
  }
});

test('two builds of the package are the same byte for byte', async () => {
  const { folder } = await releaseUnderTest();
  const again = await makeRelease(join(temporaryDirectory(), 'elsewhere'));
  assert.deepEqual(hashFiles(again.folder), hashFiles(folder));
});

test('every export of the package leads to a file, and it depends on nothing', async () => {
  const { folder } = await releaseUnderTest();
  const manifest = readJson(folder, 'package.json');
  for (const target of targetsOf(manifest['exports'])) {
    assert.ok(existsSync(join(folder, target)), target);
  }
  assert.equal(manifest['dependencies'], undefined);
  assert.equal(manifest['sideEffects'], false);
});

test('the kernels that the sources build to are those on record', () => {
  assert.deepEqual(kernelDifferences(builtKernels(), recordedKernels()), []);
});

test('what a browser loads stays within its budget, the word list apart', async (t) => {
  const release = await releaseUnderTest();
  const { files, totalGzipBytes } = downloadSize(release, 'browser.js', 'svc.wasm');
  assert.ok(files.some(({ name }) => name === 'bip39-english.js'));
  t.diagnostic(`svc-wasm in a browser: ${(totalGzipBytes / 1024).toFixed(1)} KiB compressed`);
  const inline = downloadSize(release, 'inline.js');
  t.diagnostic(`svc-wasm/inline: ${(inline.totalGzipBytes / 1024).toFixed(1)} KiB compressed`);
  assert.ok(totalGzipBytes <= BROWSER_GZIP_BYTES_MAX, `${totalGzipBytes} bytes`);
});
