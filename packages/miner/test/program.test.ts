/**
 * `svc-miner` as a program: what it measures, and the keys of its screen on a terminal of its own.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { programPath, temporaryDirectory, until } from 'svc-base/testing';

const PROGRAM = programPath('svc-miner');
/** Gives a program a terminal; part of every Debian. */
const TERMINAL = '/usr/bin/script';

interface Measured {
  readonly device: string;
  readonly hashes: number;
  readonly wrong: number;
  readonly compared: number;
  readonly found: number;
}

test('--bench measures a device as it would mine, and checks what it hashed', async (t) => {
  const words = ['--bench', '--json', '--network', 'development', '--seconds', '1'];
  const device = ['--device', 'cpu', '--threads', '1', '--dataset-dir', temporaryDirectory(t)];
  const program = spawn(process.execPath, [PROGRAM, ...words, ...device], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  program.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  assert.deepEqual(await once(program, 'close'), [0, null]);
  const [measured, ...others] = JSON.parse(text) as Measured[];
  assert.equal(others.length, 0);
  assert.deepEqual([measured?.device, measured?.wrong], ['cpu:0', 0]);
  assert.ok((measured?.hashes ?? 0) > 0);
});

test('keys of the screen: h hashrate, s shares, p pause, r resume, q quit', async (t) => {
  if (!existsSync(TERMINAL)) return t.skip('passed over: no program here that makes a terminal');
  const nowhere = ['--node', 'http://127.0.0.1:9', '--user', 'svcdev1nobody.rig'];
  const words = [...nowhere, '--no-stats', '--no-metrics'];
  const command = [process.execPath, PROGRAM, ...words, '--device', 'cpu', '--threads', '1'];
  const screen = spawn(TERMINAL, ['-qefc', command.join(' '), '/dev/null'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    cwd: temporaryDirectory(t),
  });
  t.after(() => screen.kill('SIGKILL'));
  let text = '';
  screen.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const says = async (what: string): Promise<void> => {
    await until(() => text.includes(what) || screen.exitCode !== null, what);
    assert.ok(text.includes(what), text);
  };
  await says('h hashrate, p pause, r resume, s shares, q quit');
  await says('no node answers');
  for (const [key, answer] of [
    ['h', 'speed 10s/60s/15m'],
    ['s', 'shares 0 accepted, 0 refused, 0 open; blocks none'],
    ['p', 'cpu:0 rests'],
  ] as const) {
    screen.stdin.write(key);
    await says(answer);
  }
  screen.stdin.write('rq');
  assert.deepEqual(await once(screen, 'close'), [0, null]);
});
