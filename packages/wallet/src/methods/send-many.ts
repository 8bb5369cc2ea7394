/** `send_many`: one address may be named several times, each gets an output of its own. */
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';
import { atomsOf, given, payeeOf } from './values.ts';

export const sendMany: Handler<'send_many'> = (wallet, params) => {
  const { recipients, request_id, ...options } = params;
  return perform(wallet, 'send_many', request_id, {
    recipients: recipients.map(({ amount, payload_text, to }, at) => ({
      to: payeeOf(wallet, to, `recipients[${at}].to`),
      amount: atomsOf(amount, `recipients[${at}].amount`),
      ...given({ payload_text }),
    })),
    ...options,
  });
};
