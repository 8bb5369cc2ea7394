/**
 * A call that the wallet daemon refused, or that it did not answer.
 */
import type { Funds, Retry } from 'svc-api/rpc';
import { errorDocs } from 'svc-wasm/base';

export interface WalletRpcErrorOptions {
  /** Absent if no answer came. */
  readonly code?: number;
  readonly kind?: string;
  readonly retry: Retry;
  readonly hint?: string;
  readonly path?: string;
  readonly transaction?: string;
  readonly funds?: Funds;
  readonly cause?: unknown;
}

/** The one error of the wallet client: a refusal of the daemon, or no answer. */
export class WalletRpcError extends Error {
  override readonly name = 'WalletRpcError';
  readonly code: number | undefined;
  /** What was refused, or what an answer other than 200 says, such as `unauthorized`. */
  readonly kind: string | undefined;
  /** Whether repeating helps; a payment is only ever repeated with the same `request_id`. */
  readonly retry: Retry;
  readonly hint: string | undefined;
  readonly path: string | undefined;
  /** The transaction that was still made: it may become final until it has expired. */
  readonly transaction: string | undefined;
  /**
   * What the wallet has and waits for, if its free coins do not cover the call; `repeat_after` says when the call may be
   * repeated under its name.
   */
  readonly funds: Funds | undefined;
  /** The page and heading that explain the code. */
  readonly docs: string = errorDocs('reference/json-rpc');

  constructor(message: string, options: WalletRpcErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.kind = options.kind;
    this.retry = options.retry;
    this.hint = options.hint;
    this.path = options.path;
    this.transaction = options.transaction;
    this.funds = options.funds;
  }
}
