/**
 * A refusal on its way to the client. The catalogue gives its status and hint; nothing of the inside of the
 * node goes into it.
 */
import { type ErrorCode, type ErrorDocument, errorEntry, isErrorCode } from 'svc-api';
import { faultOf } from 'svc-api/check';
import { SvcError } from 'svc-wasm/base';
import type { TSchema } from 'typebox';

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path?: string | undefined;
  readonly retryAfterMillis?: number | undefined;
  /** Replaces the status of the catalogue. */
  readonly status?: number | undefined;
  /** For status 405: the methods that the path allows. */
  readonly allow?: string | undefined;
  /** Whether the connection ends with the answer. */
  readonly closes?: boolean;
}

export type RefusalOptions = Partial<Pick<Refusal, 'path' | 'retryAfterMillis' | 'status'>>;

export class Refused extends Error implements Refusal {
  override readonly name = 'Refused';
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly retryAfterMillis: number | undefined;
  readonly status: number | undefined;

  constructor(code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.path = options.path;
    this.retryAfterMillis = options.retryAfterMillis;
    this.status = options.status;
  }
}

/** Refuses a value that does not fit a schema of the contract, with the path of the first field that is wrong. */
export function expectFit(schema: TSchema, value: unknown): void {
  const fault = faultOf(schema, value);
  if (fault === undefined) return;
  const { code, message, path } = fault;
  throw new Refused(code, message, path === '' ? {} : { path });
}

/** What an error says to a client; undefined if it is a fault of the node. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refused) return error;
  if (error instanceof SvcError && isErrorCode(error.code)) {
    return { code: error.code, message: error.message, path: error.path };
  }
  return undefined;
}

export function statusOf({ code, status }: Refusal): number {
  return status ?? errorEntry(code).status;
}

export function errorDocument(refusal: Refusal): ErrorDocument {
  const { hint } = errorEntry(refusal.code);
  return {
    api_version: 1,
    error: {
      code: refusal.code,
      message: refusal.message,
      ...(refusal.path === undefined ? {} : { path: refusal.path }),
      ...(hint === undefined ? {} : { hint }),
    },
    ...(refusal.retryAfterMillis === undefined
      ? {}
      : { retry_after_millis: refusal.retryAfterMillis }),
  };
}
