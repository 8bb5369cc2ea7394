/**
 * The store of a node that does not run, for commands that look into it or work on it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT } from 'svc-base/cli';
import { bytesOf, type LedgerParameters } from 'svc-ledger';
import { type ChainReader, type LedgerStore, openStore, readTablesUnmapped } from 'svc-storage';
import { init } from 'svc-wasm';
import { createManifest, type Manifest } from 'svc-wasm/protocol';
import { chainParameters, loadGenesis, type NamedGenesis } from '../../config/genesis-file.ts';
import type { NodeConfig } from '../../config/node-config.ts';
import type { CommandOptions } from '../config-options.ts';
import { configOf } from '../load-config.ts';

export interface ChainPlace extends NamedGenesis {
  readonly config: NodeConfig;
  /** `<data>/chain`. */
  readonly directory: string;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
}

export async function chainPlace(options: CommandOptions): Promise<ChainPlace> {
  readTablesUnmapped();
  await init();
  const { config } = configOf(options);
  const named = loadGenesis(config);
  return {
    ...named,
    config,
    directory: join(config.dataDir, 'chain'),
    parameters: chainParameters(config, named),
    manifest: createManifest(config.network, bytesOf(named.chainId)),
  };
}

/**
 * Runs with the store of the place open. It is opened in the mode that every store can be opened in, and since
 * nothing is committed the one that it is kept in stays: readers tell it.
 */
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

/** Runs with a view of the head. */
export function withReader<Result>(
  place: ChainPlace,
  use: (reader: ChainReader) => Promise<Result>,
): Promise<Result> {
  return withStore(place, async (store) => {
    if (store.head === null) throw new CliError(EXIT.failed, 'the store has no cuts yet');
    const reader = store.reader();
    try {
      return await use(reader);
    } finally {
      await reader.close();
    }
  });
}
