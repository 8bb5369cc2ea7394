/**
 * Opens the store of a chain and reads from it what `ChainCore` keeps in memory.
 */
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
  type StorageMode,
  StoreUnavailableError,
} from 'svc-storage';
import { createManifest, hashLabel, type Manifest } from 'svc-wasm/protocol';
import { type ChainDisk, DirectoryDisk } from './chain-disk.ts';
import { expectRecovered, expectRecovery } from './expect-recovery.ts';
import { RecentCuts } from './recent-cuts.ts';
import { ValidatorSets } from './validator-sets.ts';
import { readWorkBlock, type WorkBlock } from './work-blocks.ts';

export interface OpenChainOptions {
  /** `<data>/chain`. */
  readonly directory: string;
  readonly genesis: Genesis;
  readonly mode: StorageMode;
  /** The parameters of the network unless said otherwise. */
  readonly parameters?: LedgerParameters;
  readonly cacheBytes?: number;
  /** In place of the directory, for simulations. */
  readonly disk?: ChainDisk;
  /** Called when a read of the open store has found damage; nothing may continue afterwards. */
  readonly onDamage?: (found: unknown) => void;
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
  const { directory, genesis, mode, cacheBytes, onDamage = () => {} } = options;
  const parameters = options.parameters ?? LEDGER_PARAMETERS[genesis.network];
  const chainId = chainIdOf(hashLabel, genesis);
  const { disk = new DirectoryDisk(directory, cacheBytes) } = options;
  const store = await disk.openStore({ chainId, parameters, mode, onDamage });
  try {
    if (store.head === null) {
      const ports = { parameters, hash: hashLabel, commitments: store.commitments };
      await store.initialize(genesisState(ports, genesis));
    }
    const manifest = createManifest(genesis.network, bytesOf(chainId));
    const transactions = new WireTransactions(manifest);
    const read = await readMemory(store, { disk, parameters, manifest, transactions });
    return { store, parameters, manifest, transactions, ...read };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface MemorySources {
  readonly disk: ChainDisk;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
  readonly transactions: WireTransactions;
}

async function readMemory(store: LedgerStore, sources: MemorySources) {
  const { disk, parameters } = sources;
  const reader = store.reader();
  try {
    const epoch = store.view.get('epoch', SINGLE_KEY) as EpochRecord;
    await expectRecoveries(parameters, store, reader);
    return {
      recent: await RecentCuts.load(reader, store.chainId),
      sets: await ValidatorSets.load(disk.sets, parameters, reader, epoch),
      waiting: await readWaiting(store, reader, sources),
      headCertificate: (await reader.certificate(reader.head.height)) ?? null,
    };
  } finally {
    await reader.close();
  }
}

async function expectRecoveries(
  { recoveries }: LedgerParameters,
  { view }: LedgerStore,
  reader: ChainReader,
): Promise<void> {
  const { height, cutId } = reader.head;
  for (const recovery of recoveries)
    if (recovery.height === height) expectRecovery(recovery, view, cutId);
    else if (recovery.height < height) await expectRecovered(reader, recovery);
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
