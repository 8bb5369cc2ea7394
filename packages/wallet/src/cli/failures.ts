/**
 * What a person and a script learn of a command that ended without its result: what happened, what to do next, and
 * an exit code. Errors are recognised by name, so that their modules need not be loaded for it.
 */
import type { Funds } from 'svc-api/rpc';
import { CliError, type CommandLineOptions, EXIT, type ExitCode, printable } from 'svc-base/cli';

interface Told {
  readonly name: string;
  readonly message: string;
  readonly hint?: string;
  readonly code?: unknown;
  readonly path?: string;
  readonly fault?: string;
  readonly retry?: unknown;
  /** Further facts that the wallet told. */
  readonly details?: Readonly<Record<string, unknown>>;
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
  const lines = [told(error).hint, fundsLine(told(error))].filter((line) => line !== undefined);
  const hint = lines.length === 0 ? undefined : lines.join('; ');
  return {
    message: printable(messageOf(told(error))),
    hint: hint === undefined ? undefined : printable(hint),
    exitCode: exitCodeOf(error),
  };
};

/** What the wallet has and waits for, in coins, where a payment was refused for want of it. */
function fundsLine({ details, name }: Told): string | undefined {
  const funds = CALLS.has(name) ? (details?.['funds'] as Funds | undefined) : undefined;
  if (funds === undefined) return undefined;
  const waiting = (['change', 'incoming', 'refused', 'proposed'] as const)
    .filter((what) => Number(funds[what] ?? 0) > 0)
    .map((what) => `${what} ${funds[what]}`);
  const known = [`available ${funds.available}`, `missing ${funds.missing}`, ...waiting].join(', ');
  const { repeat_after } = funds;
  if (repeat_after === null) return `${known}; nothing that is waiting would cover it`;
  const above = repeat_after.height === null ? '' : ` above height ${repeat_after.height}`;
  return `${known}; it can be paid after the event ${repeat_after.event}${above}`;
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  const { code, details, fault, name, retry = details?.['retry'] } = told(error);
  // What an earlier call of the same name made goes on.
  if (CALLS.has(name) && retry === 'same_request_id') return EXIT.unknown;
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
