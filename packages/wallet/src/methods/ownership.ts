/**
 * The group `ownership`: one side asks who owns an address, the owner answers with a signature that can spend nothing,
 * the first side checks the answer.
 */
import {
  type AddressProof,
  type AddressProofRequest,
  addressProofRequest,
  SvcError,
  verifyAddressProof as verifyProof,
} from 'svc-wasm';
import { WalletError } from '../errors.ts';
import { LIST_DOMAIN } from '../keys/address-list.ts';
import { ACCOUNT } from '../keys/key-ring.ts';
import { addressOf, asParameter, type Handler, ownAddressOf } from './method.ts';

const EXPIRES_IN_SECONDS_DEFAULT = 600;
const DOMAIN_DEFAULT = 'localhost';

export const proofRequest: Handler<'proof_request'> = async (wallet, params) => {
  const { domain = DOMAIN_DEFAULT, expires_in_seconds = EXPIRES_IN_SECONDS_DEFAULT } = params;
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

/** A request of another chain, or past its time, is not answered. */
export const proveAddress: Handler<'prove_address'> = (wallet, { request }) => {
  const own = ownAddressOf(wallet, request.address, 'request.address');
  if (request.domain === LIST_DOMAIN) {
    const message = 'lists of addresses are signed by watch-export alone';
    throw new WalletError('proof_refused', message, { path: 'request.domain' });
  }
  const chainId = wallet.state.meta.get('chain_id');
  if (chainId !== undefined && request.chain_id !== chainId) {
    throw new WalletError('proof_refused', 'the request is for another chain', {
      path: 'request.chain_id',
    });
  }
  if (BigInt(request.expires_at_millis) <= BigInt(wallet.clock.now())) {
    throw new WalletError('proof_refused', 'the request is past its time', {
      path: 'request.expires_at_millis',
    });
  }
  try {
    const { root } = wallet.keychain;
    const proof = root.proveAddress(ACCOUNT, own.branch, own.position, JSON.stringify(request));
    return JSON.parse(proof) as AddressProof;
  } catch (cause) {
    if (!(cause instanceof SvcError)) throw cause;
    throw new WalletError('proof_refused', cause.message, { path: 'request', cause });
  }
};

/** A proof that does not hold is an answer, not an error. */
export const verifyAddressProof: Handler<'verify_address_proof'> = async (wallet, params) => {
  const { proof, request } = params;
  const { address, domain } = request;
  if (request.chain_id !== (await wallet.chainId())) {
    const reason = { code: 'wrong_chain', message: 'the request is for another chain' };
    return { verified: false, address, domain, reason };
  }
  try {
    verifyProof(JSON.stringify(proof), JSON.stringify(request), wallet.clock.now());
    return { verified: true, address, domain };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const reason = { code: error.code, message: error.message };
    return { verified: false, address, domain, reason };
  }
};
