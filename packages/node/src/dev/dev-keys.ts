/**
 * The keys of a development network. They come from words that everybody knows, so nothing of value may
 * ever belong to them.
 */
import { type Address, DEVELOPMENT_ACCOUNTS, DEVELOPMENT_MNEMONIC, keyAddress } from 'svc-ledger';
import { addressFromPublicKey, WalletRoot } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { keyHash } from 'svc-wasm/internal';

/** Where a wallet keeps the consensus key of its validator; further ones lie below. */
const CONSENSUS_KEY_INDEX = 2_147_483_647;

export interface DevAccount {
  readonly index: number;
  /** As the ledger writes it. */
  readonly address: Address;
  /** As people write it. */
  readonly text: string;
}

export interface DevConsensusKey {
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
}

export interface DevKeys {
  readonly accounts: readonly DevAccount[];
  readonly consensus: readonly DevConsensusKey[];
}

export function devKeys(validators: number): DevKeys {
  using root = WalletRoot.fromMnemonic(DEVELOPMENT_MNEMONIC);
  const accounts = Array.from({ length: DEVELOPMENT_ACCOUNTS }, (_, index) => {
    const publicKey = root.derivePublicKey(0, 0, index);
    const text = addressFromPublicKey(publicKey, 'development');
    return { index, address: keyAddress(toHex(keyHash(publicKey))), text };
  });
  const consensus = Array.from({ length: validators }, (_, place) => {
    const index = CONSENSUS_KEY_INDEX - place;
    return {
      seed: root.exportSeed(0, 0, index),
      publicKey: root.derivePublicKey(0, 0, index),
    };
  });
  return { accounts, consensus };
}
