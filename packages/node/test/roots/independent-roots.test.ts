/** The roots of headers against a program in another language that was written from the document of the protocol alone. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { init } from 'svc-wasm';
import { chainDump } from './chain-dump.ts';

const SCRIPT = fileURLToPath(new URL('check_roots.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).error === undefined;
const skip = hasPython ? false : 'python3 is not installed: passed over';

await init();

test('a program written from the document alone computes every root of a chain and opens every proof', {
  skip,
}, async (t) => {
  const input = JSON.stringify(await chainDump());
  const { status, stdout, stderr } = spawnSync('python3', [SCRIPT], { encoding: 'utf8', input });
  assert.equal(status, 0, stderr);
  t.diagnostic(stdout.trim());
  const counts = JSON.parse(stdout) as Record<string, number>;
  assert.ok((counts['cuts'] ?? 0) > 100, stdout);
  assert.ok((counts['altered_proofs_refused'] ?? 0) > 1_000, stdout);
  const other = input.replace('"fee":"1000000"', '"fee":"1000001"');
  assert.notEqual(other, input);
  assert.equal(spawnSync('python3', [SCRIPT], { input: other }).status, 1);
});
