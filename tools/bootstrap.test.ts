import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { ROOT } from './check/repository.ts';

/** A stand-in for npm that reports its start, and its end by a signal. */
const SLOW_INSTALLATION = `
const { writeFileSync } = require('node:fs');
process.on('SIGTERM', () => { writeFileSync('ended', ''); process.exit(7); });
setInterval(() => {}, 1000);
writeFileSync('began', '');
`;

test('a signal during the installation ends the installation, and the next start begins it anew', async (t) => {
  const folder = temporaryDirectory(t);
  const bootstrap = startBootstrap(folder, SLOW_INSTALLATION);
  await until(() => existsSync(join(folder, 'began')), 'the installation has begun');
  bootstrap.child.kill('SIGTERM');
  assert.equal(await bootstrap.code, 7);
  assert.ok(existsSync(join(folder, 'ended')), 'the installation was asked to end');
  assert.match(bootstrap.output(), /npm ci was interrupted; it begins anew at the next start/);
  assert.ok(!existsSync(join(folder, 'node_modules', '.svc-bootstrap')));
});

test('an installation that fails is reported with its command, and nothing is built', async (t) => {
  const folder = temporaryDirectory(t);
  const bootstrap = startBootstrap(folder, 'process.exit(3)');
  assert.equal(await bootstrap.code, 1);
  assert.match(bootstrap.output(), /npm ci failed \(exit code 3\)/);
  assert.match(bootstrap.output(), /The command was: .*npm\.cjs ci /);
  assert.doesNotMatch(bootstrap.output(), /building/);
});

test('every script of the project says how it is used, with nothing installed', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  // These answer themselves, with what they are made of: they need the packages.
  const others = Object.entries(scripts).filter(
    ([name]) => !['start', 'demo', 'simulate'].includes(name),
  );
  for (const [name, command] of others) {
    const [, bootstrap = '', script = ''] = command.split(' ');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, bootstrap), script, '--help'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    assert.deepEqual([status, stderr], [0, ''], name);
    const own = name === 'test' ? 'npm test' : `npm run ${name}`;
    assert.ok(stdout.includes(own), `${name}: ${stdout}`);
    assert.doesNotMatch(stdout, /^ ?\*/m, name);
  }
});

interface StartedBootstrap {
  readonly child: ChildProcess;
  readonly code: Promise<number | null>;
  output(): string;
}

/** The script finds the repository by its own place: a copy in another folder prepares that folder. */
function startBootstrap(folder: string, npm: string): StartedBootstrap {
  mkdirSync(join(folder, 'tools'));
  mkdirSync(join(folder, 'node_modules'));
  copyFileSync(join(ROOT, 'tools', 'bootstrap.mjs'), join(folder, 'tools', 'bootstrap.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  writeFileSync(join(folder, 'npm.cjs'), npm);
  const child = spawn(process.execPath, [join(folder, 'tools', 'bootstrap.mjs')], {
    cwd: folder,
    env: { ...process.env, npm_execpath: join(folder, 'npm.cjs') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (part) => (output += part));
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, code, output: () => output };
}
