/**
 * Makes a sound store of a damaged one, beside it: sound records are copied, turned bits mended, the chain's bytes fetched from
 * peers, and tables rebuilt from others with the same contents. The damaged store is only read. It names what it cannot make, so
 * that the caller executes the cuts again or the operator starts over.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { syncTreeSync } from 'svc-base/node';
import { type EconomyRecord, type LedgerParameters, SINGLE_KEY } from 'svc-ledger';
import { equalBytes, fromHex, toHex } from 'svc-wasm/base';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { openEngine } from '../bodies/open-engine.ts';
import { scrubBodyFile } from '../bodies/scrub-bodies.ts';
import type { ChainReader } from '../chain-reader.ts';
import { expectChecksum } from '../codec/checksum.ts';
import { unpacked } from '../codec/codec.ts';
import {
  chainCodec,
  filledCodec,
  formatCodec,
  type Head,
  headCodec,
  type Retention,
  retentionCodec,
  type StorageMode,
} from '../codec/meta-records.ts';
import { ID_BYTES } from '../codec/sizes.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import { heightKey, hexKey, metaKey } from '../commit/keys.ts';
import { StoreDamagedError, StoreLockedError } from '../errors.ts';
import { ChecksummedStore } from '../key-value/checksummed-store.ts';
import type { KeyValueStore, WriteBatch } from '../key-value/key-value-store.ts';
import { FORMAT_VERSION, rangeOf, type StoreTable } from '../layout.ts';
import { CHAIN_CONTENTS } from '../open/contents.ts';
import { heldMessage, isHeldHere, otherHolder } from '../open/holder.ts';
import { checkLevelFiles } from '../open/level-files.ts';
import { putMeta, readMeta } from '../open/meta.ts';
import { databaseOf } from '../open/open-store.ts';
import { ReachedMark } from '../open/reached.ts';
import { scrubTables } from '../open/scrub.ts';
import { loadState } from '../open/self-check.ts';
import { readChecked } from '../reader/cut-reader.ts';
import { StoredChainReader } from '../reader/stored-chain-reader.ts';
import { RETENTION } from '../retention.ts';
import { copySoundRecords, type SalvageReport } from './copy-sound-records.ts';
import { ChainFetch, type ChainSource, type Fetched } from './fetch-chain.ts';
import { rebuildTables, tablesToExecute } from './rebuild-tables.ts';

export interface RepairOptions {
  /** The folder of the damaged store. */
  readonly directory: string;
  /** The folder of the new one, which must not be there yet. */
  readonly target: string;
  readonly chainId: string;
  readonly parameters: LedgerParameters;
  /** For a store that has lost its metadata. */
  readonly mode: StorageMode;
  /** Connects to peers that have the chain; called only if something has to be fetched. */
  readonly source: () => Promise<ChainSource>;
}

export interface RepairedStore {
  readonly head: Head;
  readonly retention: Retention;
  readonly records: number;
  /** Places where one turned bit was turned back. */
  readonly mended: readonly string[];
  /** Where something was lost. */
  readonly lost: readonly string[];
  readonly fetched: Fetched;
  readonly rebuilt: readonly StoreTable[];
  /** The log whose end could not be read: the last cuts are lost, and are fetched from peers again. */
  readonly shortenedAt: string | undefined;
  /** Why the cuts have to be executed again; the chain's own bytes are complete. */
  readonly mustExecute: string | undefined;
}

const BYTES_PER_WRITE = 4 << 20;
const FOREVER = { contents: CHAIN_CONTENTS, pieceBytes: 64 << 20, pause: async () => true };

/**
 * Reads all files and records of a closed store, without the engine, which would drop the end of a damaged
 * log; undefined if all of them are sound.
 */
export async function findDamage(directory: string): Promise<StoreDamagedError | undefined> {
  expectUnheld(directory);
  const database = databaseOf(directory);
  const mark = new ReachedMark(directory);
  try {
    if (!checkLevelFiles(database, CHAIN_CONTENTS)) return undefined;
    await scrubTables(database, FOREVER);
    let head: Head | null = null;
    const headKey = metaKey('head');
    const { bodyBytes, losses, mended } = await copySoundRecords(database, (key, record) => {
      if (equalBytes(key, headKey))
        head = unpacked(headCodec, expectChecksum(key, record, 'meta head'), 'meta head');
      return undefined;
    });
    const [first] = [...losses.reasons, ...mended];
    if (first !== undefined) return new StoreDamagedError(`the store is damaged: ${first}`);
    for (const [file, bytes] of bodyBytes) scrubBodyFile(database, file, bytes);
    mark.check(head);
    return undefined;
  } catch (error) {
    if (error instanceof StoreDamagedError) return error;
    throw error;
  } finally {
    mark.close();
  }
}

/** Reads the chain of a closed store whose state may be wrong. */
export async function withStoredChain<Result>(
  directory: string,
  use: (reader: ChainReader) => Promise<Result>,
): Promise<Result> {
  const level = await openEngine(databaseOf(directory), { createIfMissing: false });
  const reader = new StoredChainReader(new ChecksummedStore(level));
  try {
    return await use(reader);
  } finally {
    await reader.close();
    await level.close();
  }
}

/** The new store is on the disk when this resolves: the caller may delete the damaged one. */
export async function repairStore(options: RepairOptions): Promise<RepairedStore> {
  const { directory, target } = options;
  expectUnheld(directory);
  if (existsSync(target)) throw new Error(`${target} is there already`);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  let isDone = false;
  try {
    const repaired = await writeRepaired(options);
    recordReached(target, repaired.head);
    syncTreeSync(target);
    isDone = true;
    return repaired;
  } finally {
    if (!isDone) rmSync(target, { recursive: true, force: true });
  }
}

/**
 * Writes without syncs: one at the end would leave out a log that the engine has ended meanwhile and not yet made a
 * table of.
 */
async function writeRepaired(options: RepairOptions): Promise<RepairedStore> {
  const level = await openEngine(databaseOf(options.target));
  try {
    const writer = new RecordWriter(level);
    const report = await copySoundRecords(databaseOf(options.directory), (...entry) =>
      writer.put(...entry),
    );
    await writer.end();
    return await complete(new ChecksummedStore(level), report, options);
  } finally {
    await level.close();
  }
}

/** As a node does it with every cut. */
function recordReached(directory: string, head: Head): void {
  const mark = new ReachedMark(directory);
  try {
    mark.record(head);
  } finally {
    mark.close();
  }
}

/** Writes records in batches of some megabytes. */
class RecordWriter {
  readonly #level: KeyValueStore;
  #batch: WriteBatch;
  #bytes = 0;

  constructor(level: KeyValueStore) {
    this.#level = level;
    this.#batch = level.batch();
  }

  /** A promise where the caller has to wait. */
  put(key: Uint8Array, record: Uint8Array): Promise<void> | undefined {
    this.#batch.put(key, record);
    this.#bytes += key.length + record.length;
    if (this.#bytes < BYTES_PER_WRITE) return undefined;
    const batch = this.#batch;
    this.#batch = this.#level.batch();
    this.#bytes = 0;
    return batch.write({ sync: false });
  }

  async end(): Promise<void> {
    await this.#batch.write({ sync: false });
  }
}

async function complete(
  store: KeyValueStore,
  report: SalvageReport,
  options: RepairOptions,
): Promise<RepairedStore> {
  const { losses, mended, records, shortenedAt } = report;
  const { head, retention } = await completeMeta(store, report, options);
  const toExecute = tablesToExecute(losses);
  const { source, parameters } = options;
  const chainId = fromHex(options.chainId);
  const bodiesFrom = readMeta(store, 'filled', filledCodec)?.bodiesFrom ?? retention.indexedFrom;
  const fetch = new ChainFetch({
    store,
    losses,
    chainId,
    head,
    retention,
    bodiesFrom,
    rules: parameters,
    source,
  });
  const fetched = await fetch.complete();
  const rebuilt = await rebuildTables(store, losses);
  const stateTrouble = await troubleOfState(store, head);
  const mustExecute =
    toExecute.length > 0 ? `records of ${toExecute.join(', ')} are lost` : stateTrouble;
  if (mustExecute !== undefined && !isComplete(retention)) throw hopeless(mustExecute);
  return {
    head,
    retention,
    records,
    mended,
    lost: losses.reasons,
    fetched,
    rebuilt,
    shortenedAt,
    mustExecute,
  };
}

function isComplete({ firstHeight, blocksFrom }: Retention): boolean {
  return firstHeight === 1 && blocksFrom === 1;
}

/** The metadata of the store; where that is lost, it follows from the totals and the headers. */
async function completeMeta(
  store: KeyValueStore,
  { losses }: SalvageReport,
  { chainId, mode }: RepairOptions,
): Promise<{ head: Head; retention: Retention }> {
  const chain = readMeta(store, 'chain', chainCodec);
  if (chain !== undefined && chain !== chainId)
    throw new StoreDamagedError(
      `expected a store of chain ${chainId}, found one of chain ${chain}`,
    );
  const told = readMeta(store, 'head', headCodec);
  const kept = readMeta(store, 'retention', retentionCodec);
  if (told !== undefined && kept !== undefined && !losses.has('meta'))
    return { head: told, retention: kept };
  const head = await headOf(store, told);
  const retention = kept ?? retentionOf(mode, head.height);
  const batch = new BatchBuilder();
  putMeta(batch, 'format', formatCodec, FORMAT_VERSION);
  putMeta(batch, 'chain', chainCodec, chainId);
  putMeta(batch, 'retention', retentionCodec, retention);
  putMeta(batch, 'head', headCodec, head);
  await store.write(batch.operations, { sync: false });
  return { head, retention };
}

async function headOf(store: KeyValueStore, told: Head | undefined): Promise<Head> {
  const record = store.getSync(hexKey('economy', SINGLE_KEY));
  const economy: EconomyRecord | undefined =
    record === undefined ? undefined : unpacked(STATE_CODECS.economy, record, 'economy');
  const height = economy?.height ?? told?.height ?? (await highestHeader(store));
  if (told?.height === height) return told;
  const row = readChecked(store, 'headers', heightKey('headers', height));
  if (row === undefined) throw hopeless('nothing says any more how far the store had come');
  const { stateRoot } = decodeCutHeader(row.subarray(ID_BYTES));
  const outputs = await countOf(store, 'unspent');
  const cutId = toHex(row.subarray(0, ID_BYTES));
  return { height, cutId, stateRoot: toHex(stateRoot), outputs };
}

async function highestHeader(store: KeyValueStore): Promise<number> {
  const [last] = await store.range({ ...rangeOf('headers'), limit: 1, reverse: true });
  if (last === undefined) throw hopeless('the store has no headers any more');
  return Number(decodeCutHeader(last[1].subarray(ID_BYTES, -4)).height);
}

async function countOf(store: KeyValueStore, table: StoreTable): Promise<number> {
  let count = 0;
  for await (const entries of store.scan(rangeOf(table))) count += entries.length;
  return count;
}

/** No more than such a store keeps at least. */
function retentionOf(mode: StorageMode, height: number): Retention {
  const { indexedCuts, blockCuts } = RETENTION[mode];
  const from = (cuts: number) => Math.max(1, height - cuts + 1);
  return { mode, firstHeight: 1, indexedFrom: from(indexedCuts), blocksFrom: from(blockCuts) };
}

async function troubleOfState(store: KeyValueStore, head: Head): Promise<string | undefined> {
  try {
    await loadState(store, head);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreDamagedError)) throw error;
    return 'the state is not that of the last cut';
  }
}

function hopeless(reason: string): StoreDamagedError {
  return new StoreDamagedError(
    `the store cannot be repaired: ${reason}, and only an archive has all blocks to execute them again. Import a ` +
      'snapshot with `svcd snapshot import` into an empty data directory, or delete the folder chain and sync anew; ' +
      'keep the folders validator and wallet',
  );
}

function expectUnheld(directory: string): void {
  if (otherHolder(directory) === 'gone' && !isHeldHere(directory)) return;
  throw new StoreLockedError(heldMessage(directory, isHeldHere(directory)));
}
