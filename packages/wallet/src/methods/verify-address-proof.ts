/** `verify_address_proof`: a proof that does not hold is an answer, not an error. */
import { SvcError, verifyAddressProof as verify } from 'svc-wasm';
import type { Handler } from './handler.ts';

export const verifyAddressProof: Handler<'verify_address_proof'> = async (wallet, params) => {
  const { proof, request } = params;
  const { address, domain } = request;
  if (request.chain_id !== (await wallet.chainId())) {
    const reason = { code: 'wrong_chain', message: 'the request is for another chain' };
    return { verified: false, address, domain, reason };
  }
  try {
    verify(JSON.stringify(proof), JSON.stringify(request), wallet.clock.now());
    return { verified: true, address, domain };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const reason = { code: error.code, message: error.message };
    return { verified: false, address, domain, reason };
  }
};
