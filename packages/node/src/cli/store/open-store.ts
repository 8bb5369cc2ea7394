/**
 * The store of a node that does not run, for commands that look into it or work on it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, LEDGER_PARAMETERS, type LedgerParameters } from 'svc-ledger';
import { type LedgerStore, openStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { createManifest, type Manifest } from 'svc-wasm/internal';
import { loadGenesis, type NamedGenesis } from '../../config/genesis-file.ts';
import type { NodeConfig } from '../../config/node-config.ts';
import { CliError } from '../cli-error.ts';
import type { CommandOptions } from '../config-options.ts';
import { EXIT } from '../exit-codes.ts';
import { configOf } from '../load-config.ts';

export interface ChainPlace extends NamedGenesis {
  readonly config: NodeConfig;
  /** `<data>/chain`. */
  readonly directory: string;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
}

export async function chainPlace(options: CommandOptions): Promise<ChainPlace> {
  await init();
  const { config } = configOf(options);
  const named = loadGenesis(config);
  return {
    ...named,
    config,
    directory: join(config.dataDir, 'chain'),
    parameters: LEDGER_PARAMETERS[config.network],
    manifest: createManifest(config.network, bytesOf(named.chainId)),
  };
}

/** Runs with the store of the place open; nothing is committed, so the mode that it was kept in stays. */
export async function withStore<Result>(
  place: ChainPlace,
  use: (store: LedgerStore) => Promise<Result>,
): Promise<Result> {
  const { directory, chainId, parameters } = place;
  if (!existsSync(directory)) {
    throw new CliError(EXIT.failed, `there is no chain in ${place.config.dataDir} yet`);
  }
  const store = await openStore({ directory, chainId, parameters, mode: 'pruned' });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
