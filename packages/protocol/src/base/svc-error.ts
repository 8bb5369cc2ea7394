/**
 * The one error class of the module. `code` is stable and meant for programs; `message` says what
 * was expected and what was found; `path` names the field, such as `outputs[1].amount`; `docs` is
 * where the documents list the codes.
 */
import type { ErrorCode } from './error-codes.ts';

/** The place in the repository's documents that explains errors: every page about errors has one such heading. */
export function errorDocs(page: string): string {
  return `docs/${page}.md#errors`;
}

export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly code: ErrorCode;
  readonly path: string | undefined;
  /** The page and heading that explain the code. */
  readonly docs: string = errorDocs('integrate/svc-wasm');

  constructor(code: ErrorCode, message: string, options: { path?: string; cause?: unknown } = {}) {
    super(
      options.path === undefined || options.path === '' ? message : `${options.path}: ${message}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.path = options.path === '' ? undefined : options.path;
  }
}

/** Codes of failures of the module itself, which say nothing about the input. */
const FAULTS: readonly ErrorCode[] = ['not_initialized', 'kernel_unavailable', 'kernel_trap'];

/**
 * Whether the error refuses an input. Only such an error allows a caller to skip the input and continue with the
 * next.
 */
export function isRefusal(error: unknown): error is SvcError {
  return error instanceof SvcError && !FAULTS.includes(error.code);
}
