/**
 * Every error code of the interfaces, with its status, whether to repeat, what it means and what helps. A
 * code is never renamed and never given another meaning.
 */

import { MINING_ERRORS } from '../mining/mining-errors.ts';
import { SOCKET_ERRORS } from '../sockets/socket-errors.ts';
import { BLOCK_ERRORS } from './block-errors.ts';
import { FIELD_ERRORS } from './field-errors.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import { TRANSACTION_ERRORS } from './transaction-errors.ts';

/**
 * `never`: the same request will be refused again. `later`: it may be repeated after a while.
 * `same_request_id`: the outcome is unknown; only the very same request is safe.
 */
export type RetryAdvice = 'never' | 'later' | 'same_request_id';

export interface CatalogueEntry {
  readonly status: number;
  readonly retry: RetryAdvice;
  readonly meaning: string;
  readonly hint?: string;
}

export const ERROR_CATALOGUE = {
  ...HTTP_ERRORS,
  ...FIELD_ERRORS,
  ...TRANSACTION_ERRORS,
  ...BLOCK_ERRORS,
  ...SOCKET_ERRORS,
  ...MINING_ERRORS,
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, code);
}

export function errorEntry(code: ErrorCode): CatalogueEntry {
  return ERROR_CATALOGUE[code];
}
