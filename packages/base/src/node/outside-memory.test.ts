import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const MODULE = new URL('./outside-memory.ts', import.meta.url).href;

/** What the engine says while the code runs; it names a setting that it does not know, and continues. */
async function saidDuring(code: string): Promise<string> {
  const words = ['--input-type=module', '--eval', code];
  const { stderr } = await promisify(execFile)(process.execPath, words);
  return stderr;
}

test('the engine knows the settings, and says so of one that it does not know', async () => {
  const said = await saidDuring(
    `const { letOutsideMemoryGrow } = await import('${MODULE}'); letOutsideMemoryGrow(); letOutsideMemoryGrow(2 ** 30);`,
  );
  assert.equal(said, '');
  const unknown = `(await import('node:v8')).setFlagsFromString('--outside-memory-unknown');`;
  assert.match(await saidDuring(unknown), /--outside-memory-unknown/);
});
