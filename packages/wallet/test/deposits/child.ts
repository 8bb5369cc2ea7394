/**
 * A process that is killed without warning. It ends by itself when this one does, because its standard input ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export class Child {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #line: Promise<string>;

  constructor(words: readonly string[], program = process.execPath) {
    this.#child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin?.on('error', () => {});
    // A program that is not there never exits; `line` then says nothing.
    this.#ended = Promise.race([once(this.#child, 'exit'), once(this.#child, 'error')]);
    const { stdout } = this.#child;
    this.#line =
      stdout === null
        ? Promise.reject(new Error('no output'))
        : new Promise((resolve) => createInterface(stdout).once('line', resolve));
  }

  /** Its first line; nothing if it ended before. */
  async line(): Promise<string | undefined> {
    return await Promise.race([this.#line, this.#ended.then(() => undefined)]);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
