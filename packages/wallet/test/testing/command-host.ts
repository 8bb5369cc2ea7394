/**
 * One process for the many commands that need none of their own.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HostedCommand, HostedEnd } from './command-host-process.ts';

const PROGRAM = fileURLToPath(new URL('./command-host-process.ts', import.meta.url));

export class CommandHost {
  readonly #child: ChildProcess;
  #turn: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  }

  /** Commands take turns. */
  run(command: HostedCommand): Promise<HostedEnd> {
    const ended = this.#turn.then(async () => {
      const answered = once(this.#child, 'message');
      this.#child.send(command);
      const [end] = (await answered) as [HostedEnd];
      return end;
    });
    this.#turn = ended.catch(() => {});
    return ended;
  }

  async close(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
