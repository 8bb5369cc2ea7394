/**
 * What a person and a script learn of a command that ended without its result: what happened, what to do
 * next, and an exit code. Errors are known by name, so that nothing is loaded to tell them.
 */
import { EXIT, type ExitCode } from './exit-codes.ts';
import { note, printable, styled } from './output.ts';

interface Told {
  readonly name: string;
  readonly message: string;
  readonly hint?: string;
  readonly code?: unknown;
  readonly path?: string;
}

/** The codes of the daemon, which are those of the wallet in this process too. */
const EXIT_OF_RPC_CODE: Readonly<Record<number, ExitCode>> = {
  [-32001]: EXIT.unreachable,
  [-32002]: EXIT.unknown,
  [-32003]: EXIT.unreachable,
  [-32000]: EXIT.refused,
  [-32004]: EXIT.refused,
  [-32602]: EXIT.usage,
};

const EXIT_OF_NAME: Readonly<Record<string, ExitCode>> = {
  UsageError: EXIT.usage,
  FileRefusal: EXIT.refused,
  DaemonUnreachable: EXIT.unreachable,
};

export function complain(error: unknown): void {
  const { message, hint } = told(error);
  note(`${styled('red', 'error:')} ${printable(message)}`);
  if (hint !== undefined) note(`  ${printable(hint)}`);
}

export function exitCodeOf(error: unknown): ExitCode {
  const { code, name } = told(error);
  if (name === 'WalletError') return EXIT_OF_RPC_CODE[Number(code)] ?? EXIT.failed;
  return EXIT_OF_NAME[name] ?? EXIT.failed;
}

function told(error: unknown): Told {
  return error instanceof Error ? (error as Told) : { name: '', message: String(error) };
}
