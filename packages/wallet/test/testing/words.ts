/** Words of wallets that nobody has had before, and the addresses that they have. */
import { addressFromPublicKey, mnemonicFromEntropy, WalletRoot } from 'svc-wasm';

export function newWords(): string {
  return mnemonicFromEntropy(crypto.getRandomValues(new Uint8Array(32)));
}

/** Branch 0 has the addresses that are given out, branch 1 those for change. */
export function addressAt(words: string, index: number, branch: 0 | 1 = 0): string {
  using root = WalletRoot.fromMnemonic(words, '', 'development');
  return addressFromPublicKey(root.derivePublicKey(0, branch, index), 'development');
}
