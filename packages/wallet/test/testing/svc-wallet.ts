/**
 * Runs `svc-wallet` as a process of its own, as people and scripts do.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { passedVariables, programPath } from 'svc-base/testing';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input; it ends at once without. */
  readonly input?: string;
}

export class WalletProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown>;

  constructor(words: readonly string[], { directory, environment, input = '' }: RunOptions) {
    const { PATH } = process.env;
    const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
    this.child = spawn(process.execPath, [programPath('svc-wallet'), ...words], {
      cwd: directory,
      env: {
        ...{ PATH, HOME: directory, XDG_CACHE_HOME: cache },
        ...passedVariables(),
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#closed = once(this.child, 'close');
    this.child.stdin?.on('error', () => {}).end(input);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** Resolves with the first line of standard output, and fails if the process ends before. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.stdout.indexOf('\n');
      if (end >= 0) return this.stdout.slice(0, end);
      if (this.child.exitCode !== null) throw new Error(`ended: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async end(): Promise<Ended> {
    await this.#closed;
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }
}
