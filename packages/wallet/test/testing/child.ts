/**
 * A process that is killed without warning, and at the latest when this one exits.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MILLIS = 5;
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface ChildOptions {
  /** Node unless another is named. */
  readonly program?: string;
  readonly directory?: string;
  /** Whether what it writes to standard error is seen. */
  readonly isQuiet?: boolean;
}

export class Child {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #text = '';

  constructor(words: readonly string[], options: ChildOptions = {}) {
    const { program = process.execPath, directory, isQuiet = false } = options;
    this.#child = spawn(program, words, {
      cwd: directory,
      stdio: ['pipe', 'pipe', isQuiet ? 'ignore' : 'inherit'],
    });
    this.#child.stdin?.on('error', () => {});
    // A program that is not there never exits; `printed` then says nothing.
    running.add(this.#child);
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve()).once('error', () => resolve());
    });
    void this.#ended.then(() => running.delete(this.#child));
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
    });
  }

  /** What it has written to standard output. */
  get text(): string {
    return this.#text;
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What it has written once that ends with a text; nothing if it ended before. */
  async printed(end: string): Promise<string | undefined> {
    let isOver = false;
    void this.#ended.then(() => {
      isOver = true;
    });
    while (!this.#text.endsWith(end)) {
      if (isOver) return undefined;
      await delay(PAUSE_MILLIS);
    }
    return this.#text;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
