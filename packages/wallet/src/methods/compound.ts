/** `compound`: it pays nobody, so a caller need not name the request. */
import { randomUUID } from 'node:crypto';
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';
import { ownAddressOf } from './values.ts';

export const compound: Handler<'compound'> = (wallet, { address, request_id, ...options }) =>
  perform(wallet, 'compound', request_id ?? `compound:${randomUUID()}`, {
    ...options,
    ...(address === undefined ? {} : { address: ownAddressOf(wallet, address, 'address').address }),
  });
