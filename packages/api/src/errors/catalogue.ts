/**
 * Every error code of the interfaces, with its status, whether to repeat, what it means and what helps. A
 * code is never renamed and never given another meaning.
 */

import { MINING_ERRORS } from '../mining/mining-errors.ts';
import { SOCKET_ERRORS } from '../sockets/socket-errors.ts';
import { BLOCK_ERRORS } from './block-errors.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';
import { FIELD_ERRORS } from './field-errors.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import { TRANSACTION_ERRORS } from './transaction-errors.ts';

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
