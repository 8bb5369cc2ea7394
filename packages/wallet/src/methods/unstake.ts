/** `unstake`. */
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';
import { atomsOf } from './values.ts';

export const unstake: Handler<'unstake'> = (wallet, { amount, request_id, ...options }) =>
  perform(wallet, 'unstake', request_id, {
    ...(amount === undefined ? {} : { amount: atomsOf(amount, 'amount') }),
    ...options,
  });
