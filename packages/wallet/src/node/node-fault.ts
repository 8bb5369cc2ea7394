/**
 * Turns an error of the client into the error that a caller of the wallet gets.
 */
import { ClientError } from 'svc-client';
import { WalletError } from '../errors.ts';

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

/** Waits for a read of the node, and throws its failure as an error of the wallet. */
export async function reading<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw nodeFault(error);
  }
}

/** Whether the node does not keep what it was asked for any more. */
export function isNotKept(error: unknown): boolean {
  const cause = error instanceof WalletError ? error.cause : error;
  return cause instanceof ClientError && cause.code === 'not_kept';
}

/** A node that has not come as far as the wallet. */
export function nodeBehind(nodeHeight: number, walletHeight: number): WalletError {
  const message = `the node is at ${nodeHeight}, the wallet at ${walletHeight}`;
  return new WalletError('node_not_synced', message);
}
