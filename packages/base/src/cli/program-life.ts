/**
 * The life of a serving program: its log, start, a line on standard output with what listens, end with a signal.
 */

import { messageOf } from '../pure/errors.ts';
import type { Log } from '../pure/log.ts';
import { SYSTEM_CLOCK } from '../system-clock.ts';
import { CliError } from './cli-error.ts';
import { EXIT } from './exit-codes.ts';
import { createLineLog, isLogLevel } from './line-log.ts';
import { usageError } from './option-values.ts';
import { result } from './output.ts';

/** What shells show for a process that a signal ended. */
const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export type StopSignal = keyof typeof SIGNAL_EXIT;

export interface StopOptions {
  readonly signals?: readonly StopSignal[];
  /** Called at the first signal. */
  readonly onFirst?: (signal: StopSignal) => void;
  /** Called at every later signal; without it the process ends at once. */
  readonly onSecond?: (exitCode: number) => void;
}

/** Resolves at the first signal that asks the process to end. */
export function stopSignal({
  signals = ['SIGINT', 'SIGTERM'],
  onFirst,
  onSecond = (exitCode) => process.exit(exitCode),
}: StopOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    for (const signal of signals) {
      process.on(signal, () => {
        if (++count > 1) onSecond(SIGNAL_EXIT[signal]);
        else {
          onFirst?.(signal);
          resolve();
        }
      });
    }
  });
}

export interface ServingProgram {
  /** What is open, for the parent process or the operator: ports of zero have become real ones. */
  readonly addresses: object;
  close(): Promise<void>;
}

/** The log of a program on standard error; JSON unless it is a terminal. */
export function openProgramLog(level: string, isJson: boolean): Log {
  if (!isLogLevel(level)) throw usageError('--log: expected debug, info, warn or error');
  const write = (line: string) => void process.stderr.write(line);
  return createLineLog(SYSTEM_CLOCK, { level, isJson: isJson || !process.stderr.isTTY, write });
}

/** Serves until a signal asks for the end. A failed start is reported with the hint. */
export async function serveProgram(
  start: () => Promise<ServingProgram>,
  hint: string,
): Promise<void> {
  let program: ServingProgram;
  try {
    program = await start();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.unreachable, messageOf(error), { hint });
  }
  result(JSON.stringify(program.addresses));
  await stopSignal();
  await program.close();
}
