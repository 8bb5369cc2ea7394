/**
 * Addresses of the development network that its wallet has no keys of: what arrives there stays.
 */
import { addressFromPublicKey, WalletRoot } from 'svc-wasm';

export function foreignAddresses(count: number): string[] {
  using root = WalletRoot.fromEntropy(new Uint8Array(32).fill(7), '', 'development');
  return Array.from({ length: count }, (_, index) =>
    addressFromPublicKey(root.derivePublicKey(0, 0, index), 'development'),
  );
}
