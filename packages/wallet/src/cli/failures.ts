/**
 * What a person and a script learn of a command that ended without its result: what happened, what to do next, and
 * an exit code. Errors are recognised by name, so that their modules need not be loaded for it.
 */
import { CliError, type CommandLineOptions, EXIT, type ExitCode, printable } from 'svc-base/cli';

interface Told {
  readonly name: string;
  readonly message: string;
  readonly hint?: string;
  readonly code?: unknown;
  readonly path?: string;
  readonly fault?: string;
}

/** Names of errors that carry a code of the daemon. */
const CALLS = new Set(['WalletError', 'DaemonRefusal']);

/** Exit codes by code of the daemon; a wallet in this process has the same codes. */
const EXIT_OF_RPC_CODE: Readonly<Record<number, ExitCode>> = {
  [-32001]: EXIT.unreachable,
  [-32002]: EXIT.unknown,
  [-32003]: EXIT.unreachable,
  [-32000]: EXIT.refused,
  [-32004]: EXIT.refused,
  [-32602]: EXIT.usage,
};

export const describeFailure: CommandLineOptions['describeFailure'] = (error) => {
  const { hint } = told(error);
  return {
    message: printable(messageOf(told(error))),
    hint: hint === undefined ? undefined : printable(hint),
    exitCode: exitCodeOf(error),
  };
};

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  const { code, fault, name } = told(error);
  if (CALLS.has(name)) return EXIT_OF_RPC_CODE[Number(code)] ?? EXIT.failed;
  if (name === 'FileRefusal') return fault === 'held' ? EXIT.unreachable : EXIT.refused;
  return name === 'UsageError' ? EXIT.usage : EXIT.failed;
}

/** The message of an error, with parameters of the call named as the options they came from. */
function messageOf({ message, name, path }: Told): string {
  if (!CALLS.has(name) || path === undefined) return message;
  const isOption = /^[a-z_]+$/.test(path);
  return `${isOption ? `--${path.replaceAll('_', '-')}` : path}: ${message}`;
}

function told(error: unknown): Told {
  return error instanceof Error ? error : { name: '', message: String(error) };
}
