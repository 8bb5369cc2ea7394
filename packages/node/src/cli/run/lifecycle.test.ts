import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Ended, SvcdProcess } from '../testing/svcd.ts';
import { SHUTDOWN_MILLIS } from './lifecycle.ts';

const program = fileURLToPath(new URL('../testing/living.ts', import.meta.url));

function living(...words: readonly string[]): SvcdProcess {
  return new SvcdProcess([...words], { directory: tmpdir(), program });
}

async function signalled(
  words: readonly string[],
  signals: readonly NodeJS.Signals[],
): Promise<Ended> {
  const process = living(...words);
  await process.said('alive');
  for (const [index, signal] of signals.entries()) {
    process.child.kill(signal);
    if (index === 0 && signal !== 'SIGHUP') await process.said('shutting down');
  }
  return process.end();
}

function messages({ stderr }: Ended): string[] {
  const lines = stderr.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { message: string }).message);
}

test('a signal closes the service in order', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const ended = await signalled(['clean'], [signal]);
    assert.deepEqual([ended.code, ended.stdout], [0, '']);
    assert.deepEqual(messages(ended).at(-1), 'stopped');
  }
});

test('a second signal ends the process at once', async () => {
  const ended = await signalled(['stuck'], ['SIGTERM', 'SIGINT']);
  assert.equal(ended.code, 130);
  assert.ok(!messages(ended).includes('stopped'));
});

test('a service that does not close is ended after its time, which is 10 s', async () => {
  assert.equal(SHUTDOWN_MILLIS, 10_000);
  const ended = await signalled(['stuck', '500'], ['SIGTERM']);
  assert.equal(ended.code, 1);
  assert.equal(messages(ended).at(-1), 'shutting down took too long, the node ends');
});

test('SIGHUP ends nothing', async () => {
  const process = living('clean');
  await process.said('alive');
  process.child.kill('SIGHUP');
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(process.child.exitCode, null);
  process.child.kill('SIGTERM');
  assert.equal((await process.end()).code, 0);
});

test('what nobody expected is logged with its stack, and the process ends with 1', async () => {
  const table = [
    ['fatal', 'nobody knows why'],
    ['thrown', 'nobody caught this'],
    ['rejected', 'nor this'],
  ] as const;
  for (const [kind, error] of table) {
    const ended = await living(kind).end();
    assert.equal(ended.code, 1, kind);
    const last = JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '') as Record<string, string>;
    assert.equal(last['level'], 'error');
    assert.equal(last['message'], 'fatal error, the node ends');
    assert.equal(last['error'], error);
    assert.match(last['stack'] as string, /living\.ts/);
  }
});

test('a service that refuses to start says why', async () => {
  const ended = await living('cannot-start').end();
  assert.equal(ended.code, 5);
  const [line] = ended.stderr.split('\n');
  const { message, error, stack } = JSON.parse(line as string) as Record<string, string>;
  assert.deepEqual([message, error, stack], ['cannot start', 'somebody else is here', undefined]);
});

test('what the system refuses is told in one line with what to do, without a stack', async () => {
  const table = [
    [
      'full-disk',
      1,
      /^the disk is full; make room and start again, nothing is damaged, the node ends$/,
    ],
    ['taken-port', 5, /^cannot start: 127\.0\.0\.1:28701 is taken by another program;/],
  ] as const;
  for (const [kind, code, words] of table) {
    const ended = await living(kind).end();
    assert.equal(ended.code, code, kind);
    const line = ended.stderr.trim().split('\n').at(-1) ?? '';
    const { message, stack } = JSON.parse(line) as Record<string, string>;
    assert.match(message as string, words);
    assert.equal(stack, undefined);
  }
});
