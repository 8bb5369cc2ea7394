/** `prove_address`: a challenge of another chain or past its time is not answered. */
import { type AddressProof, SvcError } from 'svc-wasm';
import { WalletError } from '../base/wallet-error.ts';
import { ACCOUNT } from '../spend/build.ts';
import type { Handler } from './handler.ts';
import { ownAddressOf } from './values.ts';

export const proveAddress: Handler<'prove_address'> = (wallet, { request }) => {
  const own = ownAddressOf(wallet, request.address, 'request.address');
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
