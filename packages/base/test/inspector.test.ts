/**
 * The inspector of Node lets every user of a machine run code in a process, and SIGUSR1 opens it. Real processes and a
 * real signal; where the tests run as root, the one who connects is another user.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  expectNoInspector,
  PROGRAM_NAMES,
  programPath,
  readAfterSignal,
  temporaryDirectory,
  until,
} from 'svc-base/testing';

const PROGRAM = fileURLToPath(new URL('./testing/program.js', import.meta.url));
const IDLE = [
  '--eval',
  'console.log(JSON.stringify({ pid: process.pid })); setInterval(() => {}, 1e6)',
];
/** Names no port of the machine, and opens nothing by itself. */
const ANY_PORT = '--inspect-port=0';
const OLD_NODE =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.0.0"}})';
const OPENED_BEFORE =
  'data:text/javascript,import inspector from "node:inspector";inspector.open(0)';
const SECRET = '65 characters of a token';

class Started {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';

  constructor(words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, words, { env: { ...process.env, ...environment } });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
  }

  /** Ids of the started process, and of the program behind a starter. */
  async ready(): Promise<{ pid: number; program: number; stderr: () => string }> {
    await until(() => this.stdout.includes('\n'), 'the first line of the program');
    const { pid: program } = JSON.parse(this.stdout) as { pid: number };
    return { pid: this.child.pid as number, program, stderr: () => this.stderr };
  }

  async code(): Promise<number | null> {
    const [code] = (await once(this.child, 'close')) as [number | null];
    return code;
  }
}

function secretFile(): string {
  const file = join(temporaryDirectory(), 'token');
  writeFileSync(file, SECRET, { mode: 0o600 });
  return file;
}

describe('the inspector', { concurrency: 2 }, () => {
  for (const [what, words, environment] of [
    ['a process that is none of ours', [ANY_PORT, ...IDLE], {}],
    ['a program that allows it', [ANY_PORT, PROGRAM, 'wait'], { SVC_ALLOW_INSPECTOR: '1' }],
  ] as const)
    test(`${what} gives its files to another user after SIGUSR1`, async () => {
      const file = secretFile();
      const started = new Started(words, environment);
      try {
        const { direct, through } = await readAfterSignal(await started.ready(), file);
        assert.equal(through, SECRET);
        assert.equal(direct, process.getuid?.() === 0 ? 'EACCES' : SECRET);
      } finally {
        started.child.kill('SIGKILL');
      }
    });

  test('SIGUSR1 opens nothing in a program, nor in its starter', async () => {
    const started = new Started([ANY_PORT, '--import', OLD_NODE, PROGRAM, 'wait']);
    try {
      const { pid, program, stderr } = await started.ready();
      assert.notEqual(pid, program);
      for (const each of [pid, program]) {
        await expectNoInspector({ pid: each, stderr });
      }
    } finally {
      started.child.kill('SIGKILL');
    }
  });

  test('an inspector that is open already ends a program before it does anything', async () => {
    const started = new Started(['--import', OPENED_BEFORE, PROGRAM, 'exit', '0']);
    assert.equal(await started.code(), 1);
    assert.match(started.stderr, /program does not run with an inspector: .*SVC_ALLOW_INSPECTOR=1/);
  });

  for (const name of PROGRAM_NAMES)
    test(`${name} does not run with an inspector unless that is allowed`, async () => {
      const words = [programPath(name), '--version'];
      const asked = { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --inspect=0` };
      const table = [
        [['--inspect=0', ...words], {}, 2],
        [words, asked, 2],
        [words, { ...asked, SVC_ALLOW_INSPECTOR: '0' }, 2],
        [words, { ...asked, SVC_ALLOW_INSPECTOR: '1' }, 0],
        [[ANY_PORT, ...words], {}, 0],
      ] as const;
      for (const [line, environment, code] of table) {
        const started = new Started(line, environment);
        assert.equal(await started.code(), code, started.stderr);
        assert.equal(started.stderr.includes('does not run with an inspector'), code !== 0);
      }
    });
});
