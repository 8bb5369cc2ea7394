/**
 * The starter of the programs with real processes. A Node that says it is of release 20 stands for an old one, so that
 * the starter hands over on every machine.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROGRAM_NAMES, programPath, temporaryDirectory, until } from 'svc-base/testing';

const BASE = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join(BASE, 'test', 'testing', 'program.js');
const OLD_NODE = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})',
];
/** Longer than the program waits for a signal that arrives twice, so that a second one would be seen. */
const STOP_MILLIS = 1_000;

class Started {
  readonly child: ChildProcess;
  /** The lines of standard output. Its end is the end of every process that holds it. */
  stdout = '';
  stderr = '';
  readonly closed: Promise<number | null>;

  constructor(words: readonly string[], node: readonly string[] = OLD_NODE) {
    this.child = spawn(process.execPath, [...node, ...words], { detached: true });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.closed = once(this.child, 'close').then(([code]) => code as number | null);
  }

  async untilReady(): Promise<number> {
    await until(() => this.stdout.includes('\n'), 'the first line of the program');
    const { pid } = JSON.parse(this.stdout.split('\n')[0] ?? '') as { pid: number };
    assert.notEqual(pid, this.child.pid);
    return pid;
  }

  signals(): string[] {
    const { signals } = JSON.parse(this.stdout.split('\n')[1] ?? '') as { signals: string[] };
    return signals;
  }
}

describe('a program that is started by an old Node', { concurrency: 4 }, () => {
  test('its exit code comes through, also that of a signal', async () => {
    assert.equal(await new Started([PROGRAM, 'exit', '0']).closed, 0);
    assert.equal(await new Started([PROGRAM, 'exit', '7']).closed, 7);
    const killed = new Started([PROGRAM, 'abort', 'SIGKILL']);
    assert.deepEqual([await killed.closed, killed.stderr], [128 + 9, '']);
  });

  test('a program that ended because of a truncated file is reported, with its code', async () => {
    const ended = new Started([PROGRAM, 'abort', 'SIGBUS']);
    assert.equal(await ended.closed, 128 + 7);
    assert.match(ended.stderr, /^program was ended by SIGBUS: a file .* cut short .* the disk\n$/);
  });

  test('kill -9 of the starter stops the program in order', async () => {
    const started = new Started([PROGRAM, 'serve', '1', '0']);
    await started.untilReady();
    started.child.kill('SIGKILL');
    await started.closed;
    assert.deepEqual(started.signals(), ['SIGTERM']);
  });

  test('kill -9 of the starter ends a program that does not listen to signals', async () => {
    const started = new Started([PROGRAM, 'wait']);
    await started.untilReady();
    started.child.kill('SIGKILL');
    await started.closed;
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} at the starter is passed on`, async () => {
      const started = new Started([PROGRAM, 'serve', '1', '0']);
      await started.untilReady();
      started.child.kill(signal);
      assert.equal(await started.closed, 0);
      assert.deepEqual(started.signals(), [signal]);
    });

    test(`${signal} at the starter and the program, as a terminal sends it, counts once`, async () => {
      const started = new Started([PROGRAM, 'serve', '1', String(STOP_MILLIS)]);
      await started.untilReady();
      process.kill(-(started.child.pid ?? 0), signal);
      assert.equal(await started.closed, 0);
      assert.deepEqual(started.signals(), [signal]);
    });
  }

  test('a second signal counts as the second', async () => {
    const started = new Started([PROGRAM, 'serve', '2', '0']);
    await started.untilReady();
    started.child.kill('SIGTERM');
    started.child.kill('SIGINT');
    assert.equal(await started.closed, 0);
    assert.deepEqual(started.signals().sort(), ['SIGINT', 'SIGTERM']);
  });

  test('a signal ends a program that does not listen to it', async () => {
    const started = new Started([PROGRAM, 'wait']);
    await started.untilReady();
    started.child.kill('SIGTERM');
    assert.equal(await started.closed, 128 + 15);
  });

  test('without a newer Node above it, the program says what it needs', async (t) => {
    const directory = temporaryDirectory(t);
    mkdirSync(join(directory, 'node_modules'));
    symlinkSync(BASE, join(directory, 'node_modules', 'svc-base'));
    copyFileSync(PROGRAM, join(directory, 'program.mjs'));
    const started = new Started([join(directory, 'program.mjs'), 'exit', '0']);
    assert.equal(await started.closed, 1);
    assert.equal(started.stderr, `program needs Node 26 or later; this is ${process.version}\n`);
  });
});

describe('the programs of the project', { concurrency: 2 }, () => {
  for (const name of PROGRAM_NAMES) {
    test(`${name} starts from this Node and from an old one`, async () => {
      for (const node of [[], OLD_NODE]) {
        const started = new Started([programPath(name), '--version'], node);
        assert.equal(await started.closed, 0, started.stderr);
        assert.match(started.stdout, /^svc[-a-z]* \d+\.\d+\.\d+/);
      }
    });
  }
});
