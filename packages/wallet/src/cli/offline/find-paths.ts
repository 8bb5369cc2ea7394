/**
 * Finds where addresses lie in a wallet, by deriving until all are found or the gap is reached.
 */
import { addressFromPublicKey, BRANCHES, type Network, type WalletRoot } from 'svc-wasm';
import { ACCOUNT } from '../../keys/key-ring.ts';

export interface KeyPath {
  readonly branch: number;
  readonly position: number;
}

export function findPaths(
  root: WalletRoot,
  network: Network,
  wanted: ReadonlySet<string>,
  gap: number,
): Map<string, KeyPath> {
  const found = new Map<string, KeyPath>();
  for (let position = 0; position < gap && found.size < wanted.size; position++) {
    for (const branch of [BRANCHES.receive, BRANCHES.change]) {
      const publicKey = root.derivePublicKey(ACCOUNT, branch, position);
      const address = addressFromPublicKey(publicKey, network);
      if (wanted.has(address)) found.set(address, { branch, position });
    }
  }
  return found;
}
