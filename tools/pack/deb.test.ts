import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, until } from '../../packages/base/src/testing/index.ts';
import { makeDeb } from './deb.ts';

const isThere = spawnSync('dpkg-deb', ['--version']).status === 0;
const skip = isThere ? false : 'dpkg-deb is not installed: passed over';
/** Ports of a validator are this far from the first. */
const PORTS = 6;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
}

async function freePorts(): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const base = 10_000 + Math.floor(Math.random() * 2_000) * 10;
    let port = base;
    while (port < base + PORTS && (await isFree(port))) port++;
    if (port === base + PORTS) return base;
  }
  return assert.fail('no free ports');
}

test('a Debian package, unpacked into a folder, has units and commands, and its node runs', {
  skip,
}, async (t) => {
  const directory = temporaryDirectory(t);
  const file = await makeDeb(directory, { programs: ['svcd'], compression: 'none' });
  const root = join(directory, 'root');
  execFileSync('dpkg-deb', ['-x', file, root]);
  const fields = execFileSync('dpkg-deb', ['--field', file], { encoding: 'utf8' });
  assert.match(fields, /^Package: svc$/m);
  const unit = readFileSync(join(root, 'usr/lib/systemd/system/svcd.service'), 'utf8');
  const [, command = ''] = /^ExecStart=(\S+) run /m.exec(unit) ?? [];
  const svcd = join(root, 'usr/bin/svcd');
  // Neither a Node nor anything else of this repository is on the path.
  const env = { PATH: '/usr/bin:/bin', HOME: directory };
  const run = (program: string, words: readonly string[]) =>
    execFileSync(program, words, { cwd: directory, env, encoding: 'utf8' });
  assert.equal(run(svcd, ['--version']), run(join(root, command), ['--version']));

  const port = `${await freePorts()}`;
  const network = ['--network', 'development', '--validators', '1', '--hosts', '127.0.0.1'];
  run(svcd, ['network', 'new', 'net', ...network, '--port', port, '--start', '+1s']);
  const child = spawn(svcd, ['run', '--data-dir', '.'], {
    cwd: join(directory, 'net', 'validator-1'),
    env: { ...env, SVC_STORAGE_FREE_MEGABYTES_MIN: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  await until(() => {
    assert.equal(child.exitCode, null, log);
    return log.includes('ready');
  }, 'the node to be ready');
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
  assert.equal(child.exitCode, 0, log);
});
