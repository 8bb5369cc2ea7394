/**
 * A command that ends without its result: what happened, why, and what to do next.
 */
import type { ExitCode } from './exit-codes.ts';

export interface CliErrorOptions {
  readonly hint?: string;
  readonly cause?: unknown;
}

export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = exitCode;
    this.hint = options.hint;
  }
}
