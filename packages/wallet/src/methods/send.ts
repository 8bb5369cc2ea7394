/** `send`. */
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';
import { atomsOf, given, payeeOf } from './values.ts';

export const send: Handler<'send'> = (wallet, params) => {
  const { amount, payload_text, request_id, to, ...options } = params;
  const recipient = { to: payeeOf(wallet, to, 'to'), amount: atomsOf(amount, 'amount') };
  return perform(wallet, 'send', request_id, {
    recipients: [{ ...recipient, ...given({ payload_text }) }],
    ...options,
  });
};
