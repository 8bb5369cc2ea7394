import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import * as svc from '../../src/entry/node.ts';
import type { CheckResult } from '../public-functions/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a program reaches networks and stores with; none of it may even be looked at. */
const REACHES_OUT = [
  ...['fetch', 'Request', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'BroadcastChannel'],
  ...['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'navigator', 'document', 'location'],
  ...['process', 'require', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
];

const CHECKS = `
import * as svc from './src/entry/inline.ts';
import * as kernel from './src/kernel/index.ts';
import { runPublicChecks } from './test/public-functions/index.ts';
globalThis.runChecks = async () => {
  await svc.init();
  return runPublicChecks(svc, kernel);
};`;

const AROUND = `
import { parentPort, workerData } from 'node:worker_threads';
const touched = [];
for (const name of workerData.names) {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get: () => { touched.push(name); return undefined; },
    set: () => touched.push(name),
  });
}
(0, eval)(workerData.code);
const results = await globalThis.runChecks();
parentPort.postMessage({ touched, results });`;

interface Outcome {
  readonly touched: readonly string[];
  readonly results: readonly CheckResult[];
}

test('[SVC-08] the module encodes, checks, derives and signs, and reaches no network, no store and no coins', async () => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: CHECKS, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  assert.deepEqual(outside, [], 'nothing is imported from outside the bundle');
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(AROUND)}`), {
    workerData: { names: REACHES_OUT, code: outputFiles[0]?.text },
  });
  const { results, touched } = await new Promise<Outcome>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  await worker.terminate();
  assert.ok(results.length > 0);
  assert.deepEqual(
    results.filter(({ error }) => error !== undefined),
    [],
  );
  assert.deepEqual(touched, []);
  for (const name of ['svc.wasm', 'svc.scalar.wasm']) {
    const kernel = new WebAssembly.Module(readFileSync(`${root}build/${name}`));
    const given = WebAssembly.Module.imports(kernel).map(({ kind }) => kind);
    assert.deepEqual(given, ['memory'], 'the kernel is given its memory and can call nothing');
  }
  const names = Object.keys(svc).filter((name) =>
    /select|coin|fetch|submit|store|save/i.test(name),
  );
  assert.deepEqual(names, []);
});
