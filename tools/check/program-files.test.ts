import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { programFileProblems, programFiles } from './program-files.ts';
import { ROOT } from './repository.ts';

test('a program that is not started by startProgram alone is a problem', async () => {
  assert.deepEqual(await programFiles.run(), []);
  const path = 'packages/bridge/bin/svc-bridge.js';
  const file = { name: 'svc-bridge', path, text: readFileSync(join(ROOT, path), 'utf8') };
  assert.deepEqual(programFileProblems(file), []);
  const started = file.text.slice(file.text.indexOf('await'));
  for (const [piece, becomes] of [
    ['svc-base/start', './own-start.js'],
    [started, "const { main } = await import('../src/main.ts');\nawait main([]);\n"],
    [started, `await import('../src/other.ts');\n${started}`],
    ["name: 'svc-bridge'", "name: 'svc-pool'"],
  ] as const) {
    assert.ok(file.text.includes(piece));
    const text = file.text.replace(piece, becomes);
    assert.equal(programFileProblems({ ...file, text }).length, 1, becomes);
  }
});
