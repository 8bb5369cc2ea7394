/**
 * The chain of a development network: its genesis, made at the first start and kept beside it, and the keys that
 * its validators and accounts have.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from 'svc-base/node';
import {
  type Address,
  ATOMS_PER_COIN,
  chainIdOf,
  DEVELOPMENT_ACCOUNTS,
  DEVELOPMENT_MNEMONIC,
  developmentGenesis,
  type Genesis,
  keyAddress,
} from 'svc-ledger';
import { addressFromPublicKey, WalletRoot } from 'svc-wasm';
import { equalBytes, toHex } from 'svc-wasm/base';
import { hashLabel, keyHash } from 'svc-wasm/protocol';
import { keepGenesis, type NamedGenesis, readGenesisFile } from '../config/genesis-file.ts';

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

/** Coins that a validator pays its heartbeats from. */
const FEE_COINS = 1_000n;
/** Validators of one process need no address; a registered endpoint may not be empty. */
const NO_ENDPOINT = Uint8Array.of(0);

export interface DevChainOptions {
  readonly validators: number;
  readonly paceMillis: number;
  readonly nowMillis: number;
}

export interface DevChain extends NamedGenesis {
  readonly keys: DevKeys;
}

/** Opens the chain of a data directory, or makes one. An existing chain keeps the options it was made with. */
export function openDevChain(dataDir: string, wish: DevChainOptions): DevChain {
  const file = join(dataDir, 'genesis.json');
  if (existsSync(file)) return readDevChain(file);
  const keys = devKeys(wish.validators);
  const genesis = makeGenesis(keys, wish);
  const named = { genesis, chainId: chainIdOf(hashLabel, genesis) };
  keepGenesis(dataDir, named);
  return { ...named, keys };
}

function readDevChain(file: string): DevChain {
  const named = readGenesisFile(file);
  const { validators } = named.genesis;
  const keys = devKeys(validators.length);
  if (hasValidators(named.genesis, keys)) return { ...named, keys };
  throw new ConfigError(
    file,
    '',
    'is not of a development network whose keys are public; name another directory with --state',
  );
}

function hasValidators({ network, validators }: Genesis, { consensus }: DevKeys): boolean {
  if (network !== 'development' || validators.length === 0) return false;
  return validators.every(({ consensusPublicKey }, place) =>
    equalBytes(consensusPublicKey, consensus[place]?.publicKey ?? new Uint8Array(0)),
  );
}

function makeGenesis(keys: DevKeys, { paceMillis, nowMillis }: DevChainOptions): Genesis {
  return developmentGenesis({
    accounts: keys.accounts.map(({ address }) => address),
    validators: keys.consensus.map(({ publicKey: consensusPublicKey }) => ({
      consensusPublicKey,
      endpoint: NO_ENDPOINT,
    })),
    others: keys.fees.map(({ address }) => ({ address, amount: FEE_COINS * ATOMS_PER_COIN })),
    timeMillis: nowMillis - paceMillis, // The first cut is due at once.
    paceMillis,
  });
}
