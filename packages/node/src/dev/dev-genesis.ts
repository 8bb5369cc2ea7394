/**
 * The chain of a development network: its genesis, made at the first start and kept beside it, and the keys that
 * its validators and accounts have.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from 'svc-base/node';
import { ATOMS_PER_COIN, chainIdOf, developmentGenesis, type Genesis } from 'svc-ledger';
import { equalBytes } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import { keepGenesis, type NamedGenesis, readGenesisFile } from '../config/genesis-file.ts';
import { type DevKeys, devKeys } from './dev-keys.ts';

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
