/** `withdraw`. */
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';

export const withdraw: Handler<'withdraw'> = (wallet, { request_id, ...params }) =>
  perform(wallet, 'withdraw', request_id, params);
