/** `new_address`. */
import { addressVerificationWords, formatPaymentUri } from 'svc-wasm';
import type { Handler } from './handler.ts';

export const newAddress: Handler<'new_address'> = (wallet, { label }) => {
  wallet.expectHistoryRead();
  const { address, position, label: written } = wallet.keychain.issue(0, label ?? null);
  return {
    address,
    index: position,
    label: written,
    words: addressVerificationWords(address),
    uri: formatPaymentUri(JSON.stringify({ network: wallet.network, address })),
  };
};
