/** `proof_request`. */
import { type AddressProofRequest, addressProofRequest } from 'svc-wasm';
import { asParameter } from '../base/wallet-error.ts';
import type { Handler } from './handler.ts';
import { addressOf } from './values.ts';

const EXPIRES_IN_SECONDS = 600;
const DOMAIN = 'localhost';

export const proofRequest: Handler<'proof_request'> = async (wallet, params) => {
  const { domain = DOMAIN, expires_in_seconds = EXPIRES_IN_SECONDS } = params;
  const address = addressOf(wallet, params.address, 'address');
  const challenge = {
    network: wallet.network,
    chain_id: await wallet.chainId(),
    address,
    domain,
    expires_at_millis: String(wallet.clock.now() + 1000 * expires_in_seconds),
  };
  const request = asParameter('invalid_address', 'address', () =>
    addressProofRequest(JSON.stringify(challenge)),
  );
  return JSON.parse(request) as AddressProofRequest;
};
