/**
 * Programs that a benchmark starts beside itself. They end with it, also when a signal ends it: a bridge or a node that
 * stays behind would disturb every measurement after.
 */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const companions = new Set<ChildProcess>();

/** Call it right after the start: a signal may come before the program has printed anything. */
export function endWithThisProcess(child: ChildProcess): void {
  if (companions.size === 0) listen();
  companions.add(child);
}

/** A signal without a listener ends the process before anything of it can run. */
function listen(): void {
  process.once('exit', () => {
    for (const child of companions) child.kill();
  });
  for (const signal of SIGNALS)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
