/**
 * What the checks work with: a well-known phrase, a chain, and the wallet's first addresses.
 */
import type { WalletRoot } from '../../src/index.ts';
import type { Svc } from './check.ts';

export const PHRASE = `${'abandon '.repeat(23)}art`;
export const NETWORK = 'development';
export const CHAIN_ID = '5a'.repeat(48);

export interface Fixture {
  readonly root: WalletRoot;
  /** Public keys of account 0, branch 0. */
  readonly publicKeys: readonly Uint8Array[];
  readonly addresses: readonly string[];
}

/** Hands a wallet root to the check and frees it afterwards. */
export function withWallet<T>(svc: Svc, use: (fixture: Fixture) => T): T {
  const root = svc.WalletRoot.fromMnemonic(PHRASE);
  try {
    const publicKeys = Array.from({ length: 5 }, (_, i) => root.derivePublicKey(0, 0, i));
    const addresses = publicKeys.map((key) => svc.addressFromPublicKey(key, NETWORK));
    return use({ root, publicKeys, addresses });
  } finally {
    root.free();
  }
}
