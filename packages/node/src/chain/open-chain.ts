/**
 * Opens the store of a chain and reads from it what `ChainCore` keeps in memory.
 */
import { join } from 'node:path';
import {
  blocksToExecute,
  bytesOf,
  chainIdOf,
  type EpochRecord,
  type Genesis,
  genesisState,
  LEDGER_PARAMETERS,
  type LedgerParameters,
  SINGLE_KEY,
  WireTransactions,
} from 'svc-ledger';
import {
  type ChainReader,
  type LedgerStore,
  openStore,
  type StorageMode,
  StoreUnavailableError,
} from 'svc-storage';
import { createManifest, hashLabel, type Manifest } from 'svc-wasm/protocol';
import { RecentCuts } from './recent-cuts.ts';
import { ValidatorSets } from './validator-sets.ts';
import { readWorkBlock, type WorkBlock } from './work-blocks.ts';

export interface OpenChainOptions {
  /** `<data>/chain`. */
  readonly directory: string;
  readonly genesis: Genesis;
  readonly mode: StorageMode;
  /** Those of the network unless said otherwise. */
  readonly parameters?: LedgerParameters;
  readonly cacheBytes?: number;
}

export interface OpenedChain {
  readonly store: LedgerStore;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
  readonly transactions: WireTransactions;
  readonly recent: RecentCuts;
  readonly sets: ValidatorSets;
  /** The blocks that the next cut executes. */
  readonly waiting: readonly WorkBlock[];
  readonly headCertificate: Uint8Array | null;
}

export async function openChain(options: OpenChainOptions): Promise<OpenedChain> {
  const { directory, genesis, mode, cacheBytes } = options;
  const parameters = options.parameters ?? LEDGER_PARAMETERS[genesis.network];
  const chainId = chainIdOf(hashLabel, genesis);
  const cache = cacheBytes === undefined ? {} : { cacheBytes };
  const store = await openStore({ directory, chainId, parameters, mode, ...cache });
  try {
    if (store.head === null) {
      const ports = { parameters, hash: hashLabel, commitments: store.commitments };
      await store.initialize(genesisState(ports, genesis));
    }
    const manifest = createManifest(genesis.network, bytesOf(chainId));
    const transactions = new WireTransactions(manifest);
    const read = await readMemory(store, { directory, parameters, manifest, transactions });
    return { store, parameters, manifest, transactions, ...read };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface MemorySources {
  readonly directory: string;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
  readonly transactions: WireTransactions;
}

async function readMemory(store: LedgerStore, sources: MemorySources) {
  const { directory, parameters } = sources;
  const reader = store.reader();
  try {
    const epoch = store.view.get('epoch', SINGLE_KEY) as EpochRecord;
    const sets = join(directory, 'sets');
    return {
      recent: await RecentCuts.load(reader, store.chainId),
      sets: await ValidatorSets.load(sets, parameters, reader, epoch),
      waiting: await readWaiting(store, reader, sources),
      headCertificate: (await reader.certificate(reader.head.height)) ?? null,
    };
  } finally {
    await reader.close();
  }
}

async function readWaiting(
  store: LedgerStore,
  reader: ChainReader,
  { manifest, transactions }: MemorySources,
): Promise<WorkBlock[]> {
  const blocks = blocksToExecute(store.view, reader.head.height + 1);
  return Promise.all(
    blocks.map(async ({ id }) => {
      const header = await reader.blockHeader(id);
      const body = await reader.blockBody(id);
      if (header === undefined || body === undefined)
        throw new StoreUnavailableError(`block ${id}, which the next cut executes, is not here`);
      return readWorkBlock({ header, body }, manifest, transactions);
    }),
  );
}
