/**
 * The errors of the wallet: a refused call, a program started the wrong way, a file that cannot be used. `WalletError` has a
 * kind, which is a row of the catalogue in `svc-api`: that gives the code and whether repeating helps.
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

export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

type FileFault =
  | 'missing'
  | 'exists'
  | 'symlink'
  | 'not_a_file'
  | 'wrong_owner'
  | 'readable_by_others'
  | 'too_large'
  | 'held'
  | 'damaged'
  | 'wrong_password'
  | 'wrong_wallet'
  | 'newer_version'
  | 'unreadable';

export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
  readonly fault: FileFault;
  readonly path: string;
  readonly hint: string | undefined;

  constructor(fault: FileFault, path: string, message: string, hint?: string, cause?: unknown) {
    super(`${path}: ${message}`, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.path = path;
    this.hint = hint;
  }
}
