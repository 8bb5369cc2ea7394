/**
 * The keys of a development network. They come from words that everybody knows, so nothing of value may
 * ever belong to them.
 */
import { type Address, DEVELOPMENT_ACCOUNTS, DEVELOPMENT_MNEMONIC, keyAddress } from 'svc-ledger';
import { addressFromPublicKey, WalletRoot } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { keyHash } from 'svc-wasm/protocol';

/** Where a wallet keeps the consensus key of its validator; further ones lie below. */
const CONSENSUS_KEY_INDEX = 2_147_483_647;

const ACCOUNT = 0;
const FEE_ACCOUNT = 1;

export interface DevAccount {
  readonly index: number;
  /** As the ledger writes it. */
  readonly address: Address;
  /** As people write it. */
  readonly text: string;
}

/** A key that pays the fees of a validator's heartbeats; not of the wallet that the words open. */
export interface DevFeeKey {
  readonly seed: Uint8Array;
  readonly address: Address;
}

export interface DevConsensusKey {
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
}

export interface DevKeys {
  readonly accounts: readonly DevAccount[];
  readonly consensus: readonly DevConsensusKey[];
  readonly fees: readonly DevFeeKey[];
}

let kept: WalletRoot | undefined;

/** The root of every development network's keys, made once in a process and never freed: its words are no secret. */
export function devRoot(): WalletRoot {
  kept ??= WalletRoot.fromMnemonic(DEVELOPMENT_MNEMONIC, '', 'development');
  return kept;
}

export function devKeys(validators: number): DevKeys {
  const root = devRoot();
  const accounts = Array.from({ length: DEVELOPMENT_ACCOUNTS }, (_, index) => {
    const publicKey = root.derivePublicKey(ACCOUNT, 0, index);
    const text = addressFromPublicKey(publicKey, 'development');
    return { index, address: addressOf(publicKey), text };
  });
  const consensus = Array.from({ length: validators }, (_, place) => {
    const index = CONSENSUS_KEY_INDEX - place;
    return {
      seed: root.exportSeed(ACCOUNT, 0, index),
      publicKey: root.derivePublicKey(ACCOUNT, 0, index),
    };
  });
  const fees = Array.from({ length: validators }, (_, index) => ({
    seed: root.exportSeed(FEE_ACCOUNT, 0, index),
    address: addressOf(root.derivePublicKey(FEE_ACCOUNT, 0, index)),
  }));
  return { accounts, consensus, fees };
}

function addressOf(publicKey: Uint8Array): Address {
  return keyAddress(toHex(keyHash(publicKey)));
}
