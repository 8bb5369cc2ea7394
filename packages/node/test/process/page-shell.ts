/**
 * A shell in which the blocks of a page are run one after another, as somebody would who types them. It has programs of
 * this repository on its path, and a group of processes of its own that ends with it, and with the process that made it,
 * however that ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ProgramName, passedVariables, programPath } from 'svc-base/testing';

const DONE = '=== the block has ended: ';
/** Ends a group of processes when nobody holds the other end of its input any more. */
const GUARD = 'read -r _; kill -KILL -- "-$1" 2> /dev/null || true';

export class PageShell {
  readonly #directory: string;
  readonly #child: ChildProcess;
  /** In no group that a signal to the tests reaches. */
  readonly #guard: ChildProcess;
  #stdout = '';
  #stderr = '';
  #blocks = 0;
  #ended: number | null | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(directory: string, programs: readonly ProgramName[]) {
    this.#directory = directory;
    for (const name of programs) {
      const file = join(directory, name);
      writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${programPath(name)}' "$@"\n`);
      chmodSync(file, 0o700);
    }
    this.#child = spawn('bash', ['-e'], {
      cwd: directory,
      env: {
        PATH: `${directory}:${process.env['PATH']}`,
        HOME: directory,
        XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
        // How much of its memory the machine can spare, and how soon it answers, is not what pages are about.
        SVC_STORAGE_FREE_MEGABYTES_MIN: '0',
        SVC_ANSWER_SECONDS: '600',
        ...passedVariables(),
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#guard = spawn('bash', ['-c', GUARD, 'guard', `${this.#child.pid}`], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (more: string) => {
      this.#stdout += more;
      this.#tell();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (more: string) => {
      this.#stderr += more;
    });
    this.#child.stdin?.on('error', () => {
      // The shell has ended, and its exit says so.
    });
    this.#child.once('exit', (code) => {
      this.#ended = code;
      this.#tell();
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves when the block has ended, and rejects if one of its commands has failed. */
  async run(block: string): Promise<void> {
    const number = ++this.#blocks;
    const file = join(this.#directory, `block-${number}.sh`);
    writeFileSync(file, block);
    const done = `${DONE}${number}\n`;
    this.#child.stdin?.write(`. '${file}' < /dev/null\necho '${done.trimEnd()}'\n`);
    while (!this.#stdout.includes(done)) {
      if (this.#ended !== undefined) throw new Error(`the shell ended with ${this.#ended}`);
      await this.#changed.promise;
    }
  }

  /** Ends the shell and everything that it has started. */
  async close(): Promise<void> {
    const isGuardOver = once(this.#guard, 'exit');
    this.#guard.stdin?.end();
    await isGuardOver;
    while (this.#ended === undefined) await this.#changed.promise;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
