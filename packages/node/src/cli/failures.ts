/**
 * What an operator and a script learn of a command that ended without its result. Errors are known by name, so that
 * nothing is loaded to describe them.
 */
import { CliError, type CommandLineOptions, EXIT, type ExitCode } from 'svc-base/cli';

/** Errors whose message is meant for the operator, by name and by code. */
const REFUSALS = new Set([
  'StoreLockedError',
  'StoreFormatError',
  'RecoveryRefusedError',
  'SecretFileError',
  'ValidatorStartError',
  'ValidatorHistoryError',
]);
const USAGE = new Set(['ConfigError']);

export const describeFailure: CommandLineOptions['describeFailure'] = (error) => ({
  message: error instanceof Error ? error.message : String(error),
  hint: error instanceof CliError ? error.hint : undefined,
  exitCode: exitCodeOf(error),
});

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  const name = error instanceof Error ? error.name : '';
  if (USAGE.has(name)) return EXIT.usage;
  return REFUSALS.has(name) ? EXIT.refused : EXIT.failed;
}
