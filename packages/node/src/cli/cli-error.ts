/**
 * A command that ends without its result: what happened, why, and what to do next.
 */
import { EXIT, type ExitCode } from './exit-codes.ts';

export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(
    exitCode: ExitCode,
    message: string,
    options: { hint?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = exitCode;
    this.hint = options.hint;
  }
}

/** Errors whose message is meant for the operator, by name and by code. */
const REFUSALS = new Set([
  'StoreLockedError',
  'StoreFormatError',
  'SecretFileError',
  'ValidatorStartError',
  'ValidatorHistoryError',
]);
const USAGE = new Set(['ConfigError']);

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  const name = error instanceof Error ? error.name : '';
  if (USAGE.has(name)) return EXIT.usage;
  return REFUSALS.has(name) ? EXIT.refused : EXIT.failed;
}
