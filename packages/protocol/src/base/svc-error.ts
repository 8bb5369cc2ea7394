/**
 * The one error class of the module. `code` is stable and meant for programs; `message` says what
 * was expected and what was found; `path` names the field, in the way of `outputs[1].amount`.
 */
import type { ErrorCode } from './error-codes.ts';

export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly code: ErrorCode;
  readonly path: string | undefined;

  constructor(code: ErrorCode, message: string, options: { path?: string; cause?: unknown } = {}) {
    super(
      options.path === undefined || options.path === '' ? message : `${options.path}: ${message}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.path = options.path === '' ? undefined : options.path;
  }
}
