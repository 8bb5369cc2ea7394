/**
 * What an error of the client means to a caller of the wallet.
 */
import { ClientError } from 'svc-client';
import { WalletError } from '../base/wallet-error.ts';

export function nodeFault(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const options = { cause: error };
  if (error.code === 'not_synced') {
    return new WalletError('node_not_synced', 'the node has not caught up with the chain', options);
  }
  if (error.status === 429 || error.status === 503) {
    return new WalletError('node_busy', `the node asks to wait: ${error.message}`, options);
  }
  if (error.code === 'unknown_route') {
    return new WalletError('not_offered', 'the node does not offer this', options);
  }
  return new WalletError('node_unreachable', error.message, options);
}

/** Runs a read of the node and tells its failure as the wallet's. */
export async function reading<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw nodeFault(error);
  }
}
