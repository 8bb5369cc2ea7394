/** `receive`: shows the same address until it was paid to, so that asking twice wastes none. */
import { addressVerificationWords, formatPaymentUri } from 'svc-wasm';
import { asParameter } from '../base/wallet-error.ts';
import type { OwnAddress } from '../state/addresses.ts';
import type { Wallet } from '../wallet.ts';
import type { Handler } from './handler.ts';
import { atomsOf } from './values.ts';

export const receive: Handler<'receive'> = (wallet, params) => {
  wallet.expectHistoryRead();
  if (params.amount !== undefined) atomsOf(params.amount, 'amount');
  const { address, label, position } = unpaidAddress(wallet);
  const request = { network: wallet.network, address, ...params };
  const uri = asParameter('invalid_params', 'message', () =>
    formatPaymentUri(JSON.stringify(request)),
  );
  return { address, index: position, label, words: addressVerificationWords(address), uri };
};

function unpaidAddress({ keychain, state }: Wallet): OwnAddress {
  const last = state.addresses.next(0) - 1;
  const newest = last < 0 ? undefined : state.addresses.at(0, last);
  const isUnpaid = newest !== undefined && newest.usedHeight === null && newest.label === null;
  return isUnpaid ? newest : keychain.issue(0, null);
}
