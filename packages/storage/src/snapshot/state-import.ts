/**
 * Fills an empty store with a state that arrives at once, from whichever source. The caller decides whether the cut's
 * certificate is to be believed; the state is then believed only if it has the root that the cut's header commits to. The
 * head is written last, once all else is on the disk, so an import that was broken off leaves no store that could be opened. Headers before
 * the cut and the blocks that the next one executes are taken as they come: the caller checks them.
 */
import { TABLES, type Table } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { cutId, decodeCutHeader } from 'svc-wasm/protocol';
import { OutputTables } from '../bulk/output-tables.ts';
import { RECORD_TREES, rebuildRecordTree } from '../bulk/rebuild.ts';
import { bringToFiles, TableRuns } from '../bulk/table-runs.ts';
import { expectChecksum } from '../codec/checksum.ts';
import { unpacked } from '../codec/codec.ts';
import {
  chainCodec,
  formatCodec,
  type Head,
  headCodec,
  retentionCodec,
  type StorageMode,
} from '../codec/meta-records.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import { StoreDamagedError, StoreFormatError } from '../errors.ts';
import type { Entry, KeyValueStore } from '../key-value/key-value-store.ts';
import { FORMAT_VERSION, LAYOUT, type StoreTable } from '../layout.ts';
import { expectEmpty, putMeta } from '../open/meta.ts';
import { emptyTrees, expectState } from '../open/self-check.ts';
import { TreeFiles } from '../tree-files/tree-files.ts';
import type { StateTrees } from '../trees/state-trees.ts';
import { RecentRecords, recentTable } from './recent-records.ts';
import type { SnapshotHead } from './snapshot-format.ts';

/** How far an import is. Every output is read, and then placed by its name. */
export interface ImportProgress {
  readonly outputsRead: number;
  readonly outputsPlaced: number;
}

export interface ImportOptions {
  readonly chainId: string;
  /** An archive holds everything from the genesis on, which a snapshot does not. */
  readonly mode: Exclude<StorageMode, 'archive'>;
  /**
   * The folder that the database is in. It has files of half the state's size until the import ends, and then the
   * trees, so that the store opens at once.
   */
  readonly directory: string;
  /** Throws unless the certificate makes the cut with this header final. */
  readonly checkCertificate: (header: Uint8Array, certificate: Uint8Array) => void;
  /** As far as it is known before, so that the tables of the tree need not grow on the way. */
  readonly outputsExpected?: number;
  /** Bytes that the engine gets at a time; tests make them few. */
  readonly runBytes?: number;
  /** Is called after each piece. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** Takes the records in pieces of any size; those of outputs must be in the order of their tree keys. */
export async function importState(
  store: KeyValueStore,
  head: SnapshotHead,
  pieces: AsyncIterable<readonly Entry[]>,
  options: ImportOptions,
): Promise<Head> {
  await expectEmpty(store);
  expectCut(head, options);
  const { directory, outputsExpected = 0, runBytes, onProgress = () => {} } = options;
  const trees = emptyTrees(store);
  const loader = trees.loader('outputs', outputsExpected);
  const outputs = new OutputTables(directory, new TableRuns(store, runBytes), loader);
  try {
    const writer = new RecordWriter(store, head.height);
    for await (const entries of pieces) {
      await writer.add(entries.filter(([key]) => !isOutput(key)));
      await outputs.add(entries.filter(([key]) => isOutput(key)));
      onProgress({ outputsRead: outputs.count, outputsPlaced: 0 });
    }
    await outputs.finish((outputsPlaced) => {
      onProgress({ outputsRead: outputs.count, outputsPlaced });
    });
  } finally {
    outputs.close();
  }
  loader.finish();
  for (const name of RECORD_TREES) {
    const records = trees.loader(name, 0);
    await rebuildRecordTree(store, name, (record) => records.push(record));
    records.finish();
  }
  return seal(store, head, { outputs: outputs.count, trees }, options);
}

function isOutput(key: Uint8Array): boolean {
  return key[0] === LAYOUT.outputs.prefix;
}

function expectCut({ chainId, height, header, certificate }: SnapshotHead, options: ImportOptions) {
  if (chainId !== options.chainId) {
    throw new StoreFormatError(`expected a snapshot of chain ${options.chainId}, found ${chainId}`);
  }
  if (decodeCutHeader(header).height !== BigInt(height)) {
    throw new StoreDamagedError('the snapshot names another height than its cut; get it anew');
  }
  options.checkCertificate(header, certificate);
}

/** Writes all records but outputs, and with positions the lists of their owners. */
class RecordWriter {
  readonly #store: KeyValueStore;
  readonly #recent: RecentRecords;

  constructor(store: KeyValueStore, head: number) {
    this.#store = store;
    this.#recent = new RecentRecords(head);
  }

  async add(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const batch = new BatchBuilder();
    for (const [key, value] of entries) {
      const recent = recentTable(key[0]);
      const table = TABLES.find((name) => LAYOUT[name].prefix === key[0]);
      if (recent !== undefined) this.#addRecent(batch, recent, key, value);
      else if (table !== undefined) addRecord(batch, table, key, value);
      else
        throw new StoreDamagedError(`the snapshot has a record of prefix ${key[0]}; get it anew`);
    }
    await this.#store.write(batch.operations, { sync: false });
  }

  #addRecent(batch: BatchBuilder, table: StoreTable, key: Uint8Array, value: Uint8Array): void {
    const entry = this.#recent.expected(table, key, expectChecksum(key, value, table));
    batch.put(key, value);
    if (entry === undefined) return;
    const named = batch.key('cutIds').hex(entry.cutId).finish();
    batch.put(named, batch.packer.number(entry.height).finish());
  }
}

function addRecord(batch: BatchBuilder, table: Table, key: Uint8Array, value: Uint8Array): void {
  batch.put(key, value);
  if (table !== 'positions') return;
  const { ownerAddress } = unpacked(STATE_CODECS.positions, value, table);
  const owned = batch.key('ownedPositions').hex(ownerAddress).raw(key.subarray(1));
  batch.put(owned.finish(), new Uint8Array(0));
}

async function seal(
  store: KeyValueStore,
  { height, header, certificate }: SnapshotHead,
  { outputs, trees }: { readonly outputs: number; readonly trees: StateTrees },
  { chainId, mode, directory }: ImportOptions,
): Promise<Head> {
  const id = toHex(cutId(header));
  const stateRoot = toHex(decodeCutHeader(header).stateRoot);
  const head = { height, cutId: id, stateRoot, outputs };
  const batch = new BatchBuilder();
  const value = batch.packer.hex(id).raw(header).finish();
  batch.putChecked(batch.key('headers').numberOrdered(height).finish(), value);
  batch.putChecked(batch.key('certificates').numberOrdered(height).finish(), certificate);
  batch.put(batch.key('cutIds').hex(id).finish(), batch.packer.number(height).finish());
  await store.write(batch.operations, { sync: false });
  await expectState(store, trees, head);
  new TreeFiles(directory).save(trees, head);
  await bringToFiles(store);
  const meta = new BatchBuilder();
  const from = height + 1;
  const retention = { mode, firstHeight: height, indexedFrom: from, blocksFrom: from };
  putMeta(meta, 'format', formatCodec, FORMAT_VERSION);
  putMeta(meta, 'chain', chainCodec, chainId);
  putMeta(meta, 'retention', retentionCodec, retention);
  putMeta(meta, 'head', headCodec, head);
  await store.write(meta.operations, { sync: true });
  return head;
}
