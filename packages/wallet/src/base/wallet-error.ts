/**
 * The one error that callers of the wallet see. Its kind is a row of the catalogue in `svc-api`, which says
 * the code and whether repeating helps.
 */
import { RPC_ERRORS, type RpcErrorKind } from 'svc-api/rpc';
import { SvcError } from 'svc-wasm';

export interface WalletErrorOptions {
  readonly hint?: string;
  readonly path?: string;
  /** Further facts for programs, such as the id of a transaction. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly kind: RpcErrorKind;
  readonly hint: string | undefined;
  readonly path: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(kind: RpcErrorKind, message: string, options: WalletErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.hint = options.hint;
    this.path = options.path;
    this.details = options.details ?? {};
  }

  get code(): number {
    return RPC_ERRORS[this.kind].code;
  }
}

/** Calls a check of the protocol module, and throws its refusal as one of the call's parameter at `path`. */
export function asParameter<T>(kind: RpcErrorKind, path: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    const message =
      cause.path === undefined ? cause.message : cause.message.slice(cause.path.length + 2);
    throw new WalletError(kind, message, { path, cause });
  }
}
