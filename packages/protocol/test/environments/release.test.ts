import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
import {
  bundleOf,
  type CompressedSize,
  compressedSize,
  downloadSize,
  MINIFIED_BYTES_MAX,
  minifiedSize,
  RELEASED_BYTES_MAX,
  WISHES,
} from '../../../../tools/release/size.ts';
import { newProject, releaseUnderTest } from '../release-under-test.ts';

const LINE_CHARACTERS_MAX = 1_024;

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

test('what a browser loads, compressed, stays within its budget, the word list apart', async (t) => {
  const release = await releaseUnderTest();
  const { files, total } = downloadSize(release, 'browser.js', 'svc.wasm');
  assert.ok(files.some(({ name }) => name === 'bip39-english.js'));
  const minified = await minifiedSize(release, 'browser.js', 'svc.wasm');
  const shown = ({ gzip, brotli }: CompressedSize): string =>
    `${(gzip / 1_024).toFixed(1)} KiB with gzip, ${(brotli / 1_024).toFixed(1)} with Brotli`;
  t.diagnostic(`svc-wasm as it is released: ${shown(total)}`);
  t.diagnostic(`svc-wasm minified by a bundler: ${shown(minified)}`);
  t.diagnostic(`svc-wasm/inline: ${shown(downloadSize(release, 'inline.js').total)}`);
  for (const form of ['gzip', 'brotli'] as const) {
    assert.ok(total[form] <= RELEASED_BYTES_MAX[form], `released: ${shown(total)}`);
    assert.ok(minified[form] <= MINIFIED_BYTES_MAX[form], `minified: ${shown(minified)}`);
  }
});

test('a page pays for what it uses: an amount, a payment and a verification stay in their budgets', async (t) => {
  const release = await releaseUnderTest();
  for (const wish of WISHES) {
    const code = await bundleOf(release, wish);
    const { gzip } = compressedSize(code);
    const what = `${wish.names.join(', ')} of ${wish.entry}: ${gzip} bytes of ${wish.gzipMax}`;
    t.diagnostic(what);
    assert.ok(gzip <= wish.gzipMax, what);
    const text = new TextDecoder().decode(code);
    const loadsKernel = wish.names.includes('init');
    assert.equal(/svc\.wasm|WebAssembly/.test(text), loadsKernel, what);
  }
});

test('the code of a release can be read: short lines, and maps to its sources', async () => {
  const { folder } = await releaseUnderTest();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.js'))) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    const longest = Math.max(...lines.map((line) => line.length));
    const isWordList = name === 'bip39-english.js';
    assert.ok(isWordList || longest <= LINE_CHARACTERS_MAX, `${name} has ${longest} characters`);
    assert.equal(lines.at(-2), `//# sourceMappingURL=${name}.map`);
    const { sources, sourcesContent } = readJson(folder, `${name}.map`);
    for (const source of sources as string[])
      assert.match(source, /^svc:\/\/\/(?:packages\/protocol|node_modules)\//);
    assert.equal((sourcesContent as string[]).length, (sources as string[]).length);
  }
});

test('an uncaught error prints its own line, not a whole file', async () => {
  const project = await newProject();
  writeFileSync(
    join(project, 'uncaught.mjs'),
    "import { parseAmount } from 'svc-wasm'; parseAmount('1,5');",
  );
  const { stderr, status } = spawnSync(process.execPath, [join(project, 'uncaught.mjs')], {
    encoding: 'utf8',
  });
  assert.notEqual(status, 0);
  assert.match(stderr, /expected coins with at most 8 decimals/);
  assert.ok(stderr.length < 4_096, `${stderr.length} characters`);
});
