/**
 * The one error that callers of the wallet see. Its kind is a row of the catalogue in `svc-api`, which says
 * the code and, unless the error knows better, whether repeating helps.
 */
import { type Retry, RPC_ERRORS, type RpcErrorKind } from 'svc-api/rpc';

export interface WalletErrorOptions {
  readonly hint?: string;
  readonly path?: string;
  /** Further facts for programs, such as the id of a transaction. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether repeating helps, where that is not what the catalogue says of the kind. */
  readonly retry?: Retry;
  readonly cause?: unknown;
}

export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly kind: RpcErrorKind;
  readonly hint: string | undefined;
  readonly path: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retry: Retry;

  constructor(kind: RpcErrorKind, message: string, options: WalletErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.hint = options.hint;
    this.path = options.path;
    this.details = options.details ?? {};
    this.retry = options.retry ?? RPC_ERRORS[kind].retry;
  }

  get code(): number {
    return RPC_ERRORS[this.kind].code;
  }
}
