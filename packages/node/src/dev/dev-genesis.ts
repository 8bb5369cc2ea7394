/**
 * The genesis of a development network: made at its first start, kept beside its chain.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ATOMS_PER_COIN, chainIdOf, developmentGenesis } from 'svc-ledger';
import { hashLabel } from 'svc-wasm/internal';
import { keepGenesis, type NamedGenesis, readGenesisFile } from '../config/genesis-file.ts';
import type { DevKeys } from './dev-keys.ts';

/** What a validator pays its heartbeats from. */
const FEE_COINS = 1_000n;
/** Validators of one process need no address; a registered endpoint may not be empty. */
const NO_ENDPOINT = Uint8Array.of(0);

export interface GenesisWish {
  readonly dataDir: string;
  readonly keys: DevKeys;
  readonly paceMillis: number;
  readonly nowMillis: number;
}

/** The network goes on with the genesis that it has, whatever is wished for. */
export function openDevGenesis({
  dataDir,
  keys,
  paceMillis,
  nowMillis,
}: GenesisWish): NamedGenesis {
  const file = join(dataDir, 'genesis.json');
  if (existsSync(file)) return readGenesisFile(file);
  const genesis = developmentGenesis({
    accounts: keys.accounts.map(({ address }) => address),
    validators: keys.consensus.map(({ publicKey: consensusPublicKey }) => ({
      consensusPublicKey,
      endpoint: NO_ENDPOINT,
    })),
    others: keys.fees.map(({ address }) => ({ address, amount: FEE_COINS * ATOMS_PER_COIN })),
    timeMillis: nowMillis,
    paceMillis,
  });
  const named = { genesis, chainId: chainIdOf(hashLabel, genesis) };
  keepGenesis(dataDir, named);
  return named;
}
