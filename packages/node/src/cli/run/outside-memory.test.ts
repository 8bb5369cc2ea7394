import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const MODULE = new URL('./outside-memory.ts', import.meta.url).href;
/** Bodies of 28,000 bytes of which the last 64 MB are alive, 1 GB in all, beside objects that live for a moment. */
const CHURN = `
  const { PerformanceObserver, constants } = await import('node:perf_hooks');
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
  }).observe({ entryTypes: ['gc'] });
  const alive = new Array(2_400);
  let passing = [];
  for (let body = 0; body < 36_000; body++) {
    alive[body % alive.length] = new Uint8Array(28_000);
    for (let object = 0; object < 200; object++) passing.push({ body, object: [object] });
    if (passing.length > 4_000) passing = [];
    if (body % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.stdout.write(String(collections));
`;

async function collectionsAfter(setting: string): Promise<number> {
  const words = ['--input-type=module', '--eval', setting + CHURN];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words);
  assert.equal(stderr, '');
  return Number(stdout);
}

test('buffers that live for a while cause fewer whole collections', async () => {
  const [before, after] = await Promise.all([
    collectionsAfter(''),
    collectionsAfter(
      `const { letOutsideMemoryGrow } = await import('${MODULE}'); letOutsideMemoryGrow();`,
    ),
  ]);
  assert.ok(before >= 6, `${before} without the setting`);
  assert.ok(3 * after <= 2 * before, `${before} without the setting, ${after} with it`);
});
