/**
 * A real process signs on a real disk and is killed at random moments, thirty times.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from 'svc-base/testing';

const SCRIPT = fileURLToPath(new URL('signing-process.ts', import.meta.url));
const KILLS = 30;

interface Life {
  readonly opened: readonly number[];
  readonly signed: readonly { readonly position: readonly number[]; readonly message: string }[];
  readonly refused: string | undefined;
}

function startProcess(directory: string, key: number, mode: string): ChildProcess {
  const args = [SCRIPT, directory, String(key), mode];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
}

interface Doom {
  /** The signer lives on for this many lines of output, then for so many milliseconds. */
  readonly lines: number;
  readonly ms: number;
}

const AT_ONCE: Doom = { lines: 1, ms: 0 };

/** Runs one life, and kills it unless it ends by itself. */
async function live(directory: string, key: number, mode: string, doom = AT_ONCE): Promise<Life> {
  const child = startProcess(directory, key, mode);
  let output = '';
  let isDoomed = false;
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('latin1');
    if (isDoomed || output.split('\n').length <= doom.lines) return;
    isDoomed = true;
    setTimeout(() => child.kill('SIGKILL'), doom.ms);
  });
  await once(child, 'close');
  return parse(output);
}

/** A line that the kill cut off did not leave whole, and does not count. */
function parse(output: string): Life {
  const lines = output.split('\n').slice(0, -1);
  const of = (word: string) => lines.filter((line) => line.startsWith(`${word} `));
  const fields = (line: string) => line.split(' ').slice(1);
  return {
    opened: fields(of('open')[0] ?? '').map(Number),
    refused: of('refused')[0]?.slice('refused '.length),
    signed: of('signed').map((line) => {
      const [height, round, step, message] = fields(line);
      return { position: [Number(height), Number(round), Number(step)], message: message ?? '' };
    }),
  };
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] as number) - (b[at] as number);
}

test('killed thirty times, it never signs two messages for one position', async (t) => {
  const directory = temporaryDirectory(t);
  const key = 1 + (process.pid % 200);
  const messages = new Map<string, string>();
  let latest: readonly number[] = [0, 0, 0];
  for (let kill = 0; kill < KILLS; kill++) {
    const mode = kill === 0 ? 'first' : 'again';
    const doom = { lines: 1 + Math.floor(Math.random() * 8), ms: Math.random() * 10 };
    const { opened, signed, refused } = await live(directory, key, mode, doom);
    assert.equal(refused, undefined);
    assert.ok(compare(opened, latest) >= 0, `the record went back from ${latest} to ${opened}`);
    for (const { position, message } of signed) {
      assert.equal(messages.get(String(position)) ?? message, message, `two at ${position}`);
      messages.set(String(position), message);
      if (compare(position, latest) > 0) latest = position;
    }
  }
  t.diagnostic(`${messages.size} positions signed in ${KILLS} lives`);
  assert.ok(messages.size > KILLS);
  const left = readdirSync(directory).filter((name) => !/^sign-state(\.new)?$/.test(name));
  assert.ok(left.length <= 1, 'no more than the lock of the last life is left');
  assert.ok(left.every((name) => name.startsWith('svc-key-')));
  if (process.platform !== 'win32')
    assert.equal(statSync(join(directory, 'sign-state')).mode & 0o777, 0o600);
});

test('a second process with the same key is refused while the first lives, and not after', async (t) => {
  const directory = temporaryDirectory(t);
  const key = 201 + (process.pid % 50);
  await live(directory, key, 'first');
  const holder = startProcess(directory, key, 'hold');
  await once(holder.stdout as NodeJS.ReadableStream, 'data');
  assert.equal((await live(directory, key, 'again')).refused, 'key_locked');
  holder.kill('SIGKILL');
  await once(holder, 'close');
  assert.equal((await live(directory, key, 'again')).refused, undefined);
});

test('files on a real disk: damaged and missing records are refused by the process', async (t) => {
  const directory = temporaryDirectory(t);
  const key = 251;
  assert.equal((await live(directory, key, 'again')).refused, 'sign_state_missing');
  await live(directory, key, 'first', { lines: 3, ms: 0 });
  assert.equal((await live(directory, key, 'first')).refused, 'sign_state_exists');
  assert.equal((await live(directory, key + 1, 'again')).refused, 'sign_state_of_another_key');
  const path = join(directory, 'sign-state');
  const record = readFileSync(path);
  writeFileSync(path, record.subarray(0, record.length - 1));
  assert.equal((await live(directory, key, 'again')).refused, 'sign_state_damaged');
});
