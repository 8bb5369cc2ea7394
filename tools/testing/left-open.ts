/**
 * Loaded before the tests of a process: when the process ends, servers that still listen and processes that still
 * live are reported with the test that started them, and the run counts as failed. The test runner ends the process
 * after its last test whatever is open, since a server that a failed test left behind would keep it for ever.
 */
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:net';
import { relative } from 'node:path';
import { testOfCaller } from './test-scope.ts';

interface Opened {
  what(): string;
  readonly by: string;
  isOpen(): boolean;
}

/** The list of what keeps a process alive; Node gives a program no more of it. */
interface Kept {
  readonly _handle?: { hasRef(): boolean } | null;
}

const COMMAND_SHOWN_MAX = 200;

const opened = new Set<Opened>();

function remember(what: () => string, isOpen: () => boolean): void {
  const context = testOfCaller();
  const by =
    context === undefined
      ? 'outside of a test'
      : `${relative(process.cwd(), context.filePath ?? '')}: ${context.fullName}`;
  for (const one of opened) if (!one.isOpen()) opened.delete(one);
  opened.add({ what, by, isOpen });
}

function keepsAlive(kept: Kept): boolean {
  return kept._handle?.hasRef() === true;
}

subscribe('tracing:net.server.listen:asyncStart', (message) => {
  const { server } = message as { server: Server & Kept };
  remember(
    () => 'a server listens',
    () => server.listening && keepsAlive(server),
  );
});

subscribe('child_process', (message) => {
  const child = (message as { process: ChildProcess & Kept }).process;
  remember(
    () => `a process lives (${child.spawnargs.join(' ').slice(0, COMMAND_SHOWN_MAX)})`,
    () =>
      child.exitCode === null && child.signalCode === null && !child.killed && keepsAlive(child),
  );
});

process.once('exit', () => {
  const left = [...opened].filter((one) => one.isOpen());
  if (left.length === 0) return;
  process.exitCode ||= 1;
  for (const { what, by } of left) process.stderr.write(`left open: ${what()}, started by ${by}\n`);
});
