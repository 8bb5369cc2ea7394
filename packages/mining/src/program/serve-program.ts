/**
 * The life of a serving program: start, say on standard output what listens, end with a signal.
 */
import { CliError, EXIT, result } from 'svc-base/cli';
import { type Log, messageOf } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { createLineLog, isLogLevel } from '../server/report/line-log.ts';
import { usageError } from './option-values.ts';

export interface ServingProgram {
  /** The open listeners, for the starter of the program: ports of zero have become real ones. */
  readonly addresses: object;
  close(): Promise<void>;
}

/** The log of a program on standard error; JSON unless it is a terminal. */
export function openProgramLog(level: string, isJson: boolean): Log {
  if (!isLogLevel(level)) throw usageError('--log: expected debug, info, warn or error');
  const write = (line: string) => void process.stderr.write(line);
  return createLineLog(SYSTEM_CLOCK, { level, isJson: isJson || !process.stderr.isTTY, write });
}

/** Serves until a signal ends it. A failed start is reported with the hint. */
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
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await program.close();
}
