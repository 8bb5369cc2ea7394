/**
 * How a submission is refused: a code of the error catalogue, what was found, and where.
 */
import { type ErrorCode, isErrorCode } from 'svc-api';
import type { Admission } from '../ports/mempool.ts';

export type Refused = Extract<Admission, { readonly type: 'refused' }>;
export type Known = Extract<Admission, { readonly type: 'accepted' | 'known' }>;

export function refuse(code: ErrorCode, message: string, path?: string): Refused {
  return { type: 'refused', code, message, ...(path === undefined ? {} : { path }) };
}

/** What the protocol module refuses keeps its code. */
export function refuseFor(error: {
  readonly code: string;
  readonly message: string;
  readonly path?: string | undefined;
}): Refused {
  return refuse(isErrorCode(error.code) ? error.code : 'invalid', error.message, error.path);
}

export function known(id: string): Known {
  return { type: 'known', id };
}
