/** The programs of the pages about the client and about tests, as people copy them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from 'svc-base/testing';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** All programs of a page in one file, in a folder that finds the packages. */
function writePrograms(page: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const programs = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program]) => program);
  assert.ok(programs.length > 0, `${page} has no program`);
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'node_modules'));
  for (const [name, place] of [
    ['svc-client', 'client'],
    ['svc-devnet', 'devnet'],
    ['svc-wasm', 'protocol'],
  ])
    symlinkSync(
      join(root, 'packages', place as string),
      join(folder, 'node_modules', name as string),
    );
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const file = join(folder, 'tour.ts');
  writeFileSync(file, programs.join('\n'));
  return file;
}

test('the tour of the client runs from top to bottom', async () => {
  const { stdout } = await run(process.execPath, [writePrograms('docs/integrate/client.md')]);
  assert.match(stdout, /^paid, fee \d+n and Bob has \d+n\nBob has \d+n after cut \d+n/);
  assert.match(stdout, /text: 'good evening'/);
});

test('the light client of its page proves what the page says', async () => {
  const { stdout } = await run(process.execPath, [writePrograms('docs/integrate/light-client.md')]);
  assert.match(
    stdout,
    /^cut \d+: \d+ signatures hold\n\d+ atoms in \d+ outputs, and no other\n300000000 atoms at Bob’s address\nchecked and rests on cut \d+\n$/,
  );
});

test('the test of the page about testing passes', async () => {
  await run(process.execPath, ['--test', writePrograms('docs/integrate/testing.md')]);
});

test("the program of the repository's first page runs as it stands", async () => {
  const { stdout } = await run(process.execPath, [writePrograms('README.md')]);
  assert.match(stdout, /^[0-9a-f]{96} finalized\n$/);
});
