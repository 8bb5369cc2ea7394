/**
 * Runs `svcd` as a process of its own, as people do, for tests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { passedVariables, programPath } from 'svc-base/testing';

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SvcdOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs another program than `svcd`, in the same surroundings. */
  readonly program?: string;
}

export class SvcdProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown>;

  constructor(words: readonly string[], { directory, environment, program }: SvcdOptions) {
    const { PATH, HOME } = process.env;
    const cache = { XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache') };
    this.child = spawn(process.execPath, [program ?? programPath('svcd'), ...words], {
      cwd: directory,
      env: { PATH, HOME, ...cache, ...passedVariables(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#closed = once(this.child, 'close');
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** Resolves when the process has written the text, and fails if it ends before. */
  async said(text: string): Promise<void> {
    while (!`${this.stdout}${this.stderr}`.includes(text)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`ended without saying ${text}: ${this.stdout}${this.stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async end(): Promise<Ended> {
    await this.#closed;
    const { exitCode: code, signalCode: signal } = this.child;
    return { code, signal, stdout: this.stdout, stderr: this.stderr };
  }
}

export function svcd(words: readonly string[], options: SvcdOptions): Promise<Ended> {
  return new SvcdProcess(words, options).end();
}
