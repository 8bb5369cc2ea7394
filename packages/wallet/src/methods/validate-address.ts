/** `validate_address`: what is wrong with a text is its answer, not an error. */
import { type AddressDocument, addressVerificationWords, parseAddress, SvcError } from 'svc-wasm';
import type { Handler } from './handler.ts';

export const validateAddress: Handler<'validate_address'> = (wallet, { address: text }) => {
  let document: AddressDocument;
  try {
    document = JSON.parse(parseAddress(text, wallet.network)) as AddressDocument;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { valid: false, reason: { code: error.code, message: error.message } };
  }
  const address = text.toLowerCase();
  const own = wallet.state.addresses.find(address);
  return {
    valid: true,
    address,
    network: document.network,
    type: document.type,
    words: addressVerificationWords(address),
    own: own !== undefined,
    label: own?.label ?? null,
  };
};
