/** `sweep`. */
import type { Handler } from './handler.ts';
import { perform } from './perform.ts';
import { ownAddressOf, payeeOf } from './values.ts';

export const sweep: Handler<'sweep'> = (wallet, { address, request_id, to, ...options }) =>
  perform(wallet, 'sweep', request_id, {
    ...options,
    to: payeeOf(wallet, to, 'to'),
    ...(address === undefined ? {} : { address: ownAddressOf(wallet, address, 'address').address }),
  });
