/** `set_label`. */
import type { Handler } from './handler.ts';
import { ownAddressOf } from './values.ts';

export const setLabel: Handler<'set_label'> = (wallet, { address, label }) => {
  const own = ownAddressOf(wallet, address, 'address');
  wallet.state.addresses.setLabel(own.id, label);
  return { address: own.address, label };
};
