/**
 * A refusal on its way to the client, as an HTTP answer before the socket opens or as an `error` frame after.
 */
import type { ErrorCode } from 'svc-api';
import { SvcError } from 'svc-wasm/base';
import type { Refusal } from './ports.ts';

export class Refused extends Error implements Refusal {
  override readonly name = 'Refused';
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly retryAfterMillis: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: Pick<Refusal, 'path' | 'retryAfterMillis'> = {},
  ) {
    super(message);
    this.code = code;
    this.path = options.path;
    this.retryAfterMillis = options.retryAfterMillis;
  }
}

/** What refuses the input of a client; any other error is a fault of ours and goes on. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return error;
  if (error instanceof SvcError) {
    return { code: error.code as ErrorCode, message: error.message, path: error.path };
  }
  throw error;
}
