/** `burn`. */
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';
import { atomsOf } from './values.ts';

export const burn: Handler<'burn'> = (wallet, { amount, request_id, ...options }) =>
  perform(wallet, 'burn', request_id, { amount: atomsOf(amount, 'amount'), ...options });
