/** `stake`. */
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';
import { addressOf, atomsOf } from './values.ts';

export const stake: Handler<'stake'> = (wallet, params) => {
  const { amount, request_id, reward_address, ...options } = params;
  return perform(wallet, 'stake', request_id, {
    amount: atomsOf(amount, 'amount'),
    ...(reward_address === undefined
      ? {}
      : { reward_address: addressOf(wallet, reward_address, 'reward_address') }),
    ...options,
  });
};
