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
    /^cut \d+: \d+ signatures hold\n\d+ atoms in \d+ outputs, and no other\n300000000 atoms at Bob’s address\ndsvc1\w+ has 1899903 coins in 2 outputs after cut \d+, and no other\.\nTransaction [0-9a-f]{96} paid 3 coins to dsvc1\w+\.\nchecked and rests on cut \d+\n$/,
  );
});

test('a person signs in with an address as its page says', async () => {
  const { stdout } = await run(process.execPath, [writePrograms('docs/integrate/sign-in.md')]);
  assert.match(stdout, /^shop\.example svc1[0-9a-z]+ is signed in\n$/);
});

test('a payment link is read and paid as its page says', async () => {
  const page = writePrograms('docs/integrate/payment-links.md');
  const { stdout } = await run(process.execPath, [page]);
  assert.match(stdout, /^svc:dsvc1[0-9a-z]+\?amount=1\.5&label=Caf%C3%A9\nfinalized true\n$/);
});

test('a payment is signed apart from the network as its page says', async () => {
  const page = writePrograms('docs/integrate/offline-signing.md');
  const { stdout } = await run(process.execPath, [page]);
  assert.equal(stdout, 'signs 2 outputs\nfinalized\n');
});

test('the test of the page about testing passes', async () => {
  // With the mark of this run the inner one would take itself for a part of it, and run nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const words = ['--test', '--test-reporter=tap', writePrograms('docs/integrate/testing.md')];
  const { stdout } = await run(process.execPath, words, { env });
  assert.match(stdout, /^# pass 2$/m);
});

test("the program of the repository's first page runs as it stands", async () => {
  const { stdout } = await run(process.execPath, [writePrograms('README.md')]);
  assert.match(stdout, /^[0-9a-f]{96} finalized\n$/);
});

/** Lines of the first program under a heading that do something: no imports, comments or empty lines. */
function linesUnder(page: string, heading: string): string[] {
  const [, section = ''] = readFileSync(join(root, page), 'utf8').split(`## ${heading}\n`, 2);
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(section) ?? [];
  const lines = program.split('\n').filter((line) => /^(?!import |\s*\/\/|\s*$)/.test(line));
  assert.ok(lines.length > 0, `${page} has no program under ${heading}`);
  return lines;
}

test('wishes take as few lines as the pages promise', () => {
  const page = 'docs/integrate/client.md';
  const payment = linesUnder(page, 'A payment');
  const harness = payment.filter((line) => line.includes('createDevnet('));
  const paying = payment.slice(payment.findIndex((line) => line.includes('pay(')));
  const taken = {
    harness: harness.length,
    pay: paying.length,
    lightProof: linesUnder(page, "A proof instead of the node's word").length,
    multisig: linesUnder(page, 'An address of three people, two of whom pay').length,
    chat: linesUnder(page, 'Messages').length,
  };
  const most = { harness: 1, pay: 3, lightProof: 5, multisig: 15, chat: 10 };
  for (const wish of Object.keys(most) as (keyof typeof most)[])
    assert.ok(taken[wish] <= most[wish], `${wish}: ${taken[wish]} lines`);
});
