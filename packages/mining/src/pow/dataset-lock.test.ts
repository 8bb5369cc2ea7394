import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { smallPeriods } from '../../test/pow/dataset-program.ts';
import { datasetPath } from './dataset-folder.ts';
import { DatasetLock } from './dataset-lock.ts';
import { FullPow } from './full-pow.ts';

await init();

const PROGRAM = fileURLToPath(new URL('../../test/pow/dataset-program.ts', import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly said: () => string;
}

function run(t: TestContext, what: 'prepare' | 'hold', folder: string): Run {
  const child = spawn(process.execPath, [PROGRAM, what, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  t.after(() => void child.kill('SIGKILL'));
  return { child, said: () => text };
}

function newFolder(t: TestContext): string {
  return join(temporaryDirectory(t), 'dataset');
}

function startFull(t: TestContext, folder: string) {
  const fractions: number[] = [];
  const full = new FullPow({
    periods: smallPeriods(),
    folder,
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    threads: 1,
    onProgress: (fraction) => void fractions.push(fraction),
  });
  t.after(() => full.close());
  return { full, fractions };
}

test('of two programs that start together one makes the dataset and the other loads it', async (t) => {
  const folder = newFolder(t);
  const runs = [run(t, 'prepare', folder), run(t, 'prepare', folder)];
  await Promise.all(runs.map(({ child }) => once(child, 'close')));
  assert.deepEqual(runs.map(({ said }) => said()).toSorted(), ['false', 'true']);
  assert.deepEqual(readdirSync(folder), ['period-0.dataset']);
});

test('a program waits for the one that makes the dataset, shows its progress, and takes over when that is killed', async (t) => {
  const folder = newFolder(t);
  const path = datasetPath(folder, 0);
  const holder = run(t, 'hold', folder);
  await until(() => holder.said() === 'held', 'another process has the lock');
  const { full, fractions } = startFull(t, folder);
  const preparing = full.prepare(0);
  await until(() => fractions.length > 0, 'the maker is waited for');
  assert.equal(fractions[0], 0.42);
  assert.deepEqual(await DatasetLock.acquire(path).then(({ type }) => type), 'busy');
  holder.child.kill('SIGKILL');
  await preparing;
  assert.equal(full.dataset?.isLoaded, false);
  assert.equal(fractions.at(-1), 1);
  assert.deepEqual(readdirSync(folder), ['period-0.dataset']);
});

test('closing ends the wait for another program, whose lock stays', async (t) => {
  const folder = newFolder(t);
  const attempt = await DatasetLock.acquire(datasetPath(folder, 0));
  assert.ok(attempt.type === 'held');
  const { full, fractions } = startFull(t, folder);
  const preparing = full.prepare(0);
  await until(() => fractions.length > 0, 'the maker is waited for');
  await full.close();
  await preparing;
  assert.equal(full.dataset, undefined);
  assert.ok(existsSync(`${datasetPath(folder, 0)}.lock`));
  await attempt.lock.release();
  assert.deepEqual(readdirSync(folder), []);
});

test('a lock of a process whose number another one has, of no process or with other contents is taken over once', async (t) => {
  const path = datasetPath(newFolder(t), 0);
  const first = await DatasetLock.acquire(path);
  assert.ok(first.type === 'held');
  const own = readFileSync(`${path}.lock`, 'utf8');
  await first.lock.release();
  const contents = [
    own.replace(/\/[0-9]+ /, '/1 '),
    own.replace(`\n${process.pid} `, '\n4194305 '),
    'nothing that a program wrote',
    '',
  ];
  for (const content of contents) {
    writeFileSync(`${path}.lock`, content);
    const attempts = await Promise.all([1, 2, 3].map(() => DatasetLock.acquire(path)));
    const held = attempts.filter(({ type }) => type === 'held');
    assert.equal(held.length, 1, JSON.stringify(content));
    for (const attempt of attempts) if (attempt.type === 'held') await attempt.lock.release();
  }
});

test('where no file can be made there is no lock', async (t) => {
  const folder = newFolder(t);
  writeFileSync(folder, 'a file where the folder should be');
  assert.deepEqual(await DatasetLock.acquire(datasetPath(folder, 0)), { type: 'none' });
});
