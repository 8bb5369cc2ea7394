/**
 * Fills an empty store from a snapshot. The caller decides whether the cut's certificate is to be
 * believed; the state is then believed only if it has the root that the cut's header commits to. The
 * head is written last, so an import that was broken off leaves no store that could be opened. Headers before
 * the cut and the blocks that the next one executes are taken as they come: the caller checks them.
 */
import { TABLES, type Table } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { cutId, decodeCutHeader } from 'svc-wasm/protocol';
import { type BulkOutput, writeOutputsInBulk } from '../bulk/bulk-outputs.ts';
import { rebuildOutputs, rebuildRecordTrees } from '../bulk/rebuild.ts';
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
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { FORMAT_VERSION, LAYOUT, type StoreTable } from '../layout.ts';
import { expectEmpty, putMeta } from '../open/meta.ts';
import { loadState } from '../open/self-check.ts';
import { RecentRecords, recentTable } from './recent-records.ts';
import { type SnapshotHead, SnapshotReader } from './snapshot-format.ts';

const RECORDS_PER_WRITE = 4_096;

export interface ImportOptions {
  readonly chainId: string;
  /** An archive holds everything from the genesis on, which a snapshot does not. */
  readonly mode: Exclude<StorageMode, 'archive'>;
  /** Throws unless the certificate makes the cut with this header final. */
  readonly checkCertificate: (header: Uint8Array, certificate: Uint8Array) => void;
}

export async function importSnapshot(
  store: KeyValueStore,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<Head> {
  await expectEmpty(store);
  const reader = new SnapshotReader(chunks);
  const head = await reader.head();
  expectCut(head, options);
  const writer = new RecordWriter(store, head.height);
  for (let record = await reader.record(); record !== undefined; record = await reader.record()) {
    await writer.add(record);
  }
  await writer.flush();
  const outputs = await rebuildOutputs(store);
  await rebuildRecordTrees(store);
  return seal(store, head, outputs, options);
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

/** Writes records, and with outputs and positions what is listed by address. */
class RecordWriter {
  readonly #store: KeyValueStore;
  readonly #recent: RecentRecords;
  #batch = new BatchBuilder();
  #outputs: BulkOutput[] = [];

  constructor(store: KeyValueStore, head: number) {
    this.#store = store;
    this.#recent = new RecentRecords(head);
  }

  async add([key, value]: readonly [Uint8Array, Uint8Array]): Promise<void> {
    const recent = recentTable(key[0]);
    if (recent !== undefined) return this.#addRecent(recent, key, value);
    const table = TABLES.find((name) => LAYOUT[name].prefix === key[0]);
    if (table === undefined) {
      throw new StoreDamagedError(`the snapshot has a record of prefix ${key[0]}; get it anew`);
    }
    if (table === 'outputs') {
      const outpoint = Buffer.from(key.subarray(1)).toString('hex');
      const record = unpacked(STATE_CODECS.outputs, value, table);
      this.#outputs.push({ outpoint, record });
    } else this.#addRecord(table, key, value);
    const pending = this.#outputs.length + this.#batch.operations.length;
    if (pending >= RECORDS_PER_WRITE) await this.flush();
  }

  #addRecent(table: StoreTable, key: Uint8Array, value: Uint8Array): void {
    const entry = this.#recent.expected(table, key, expectChecksum(key, value, table));
    this.#batch.put(key, value);
    if (entry === undefined) return;
    const named = this.#batch.key('cutIds').hex(entry.cutId).finish();
    this.#batch.put(named, this.#batch.packer.number(entry.height).finish());
  }

  #addRecord(table: Table, key: Uint8Array, value: Uint8Array): void {
    this.#batch.put(key, value);
    if (table !== 'positions') return;
    const { ownerAddress } = unpacked(STATE_CODECS.positions, value, table);
    const owned = this.#batch.key('ownedPositions').hex(ownerAddress).raw(key.subarray(1));
    this.#batch.put(owned.finish(), new Uint8Array(0));
  }

  async flush(): Promise<void> {
    await writeOutputsInBulk(this.#store, this.#outputs, { history: false });
    await this.#store.write(this.#batch.operations, { sync: false });
    this.#outputs = [];
    this.#batch = new BatchBuilder();
  }
}

async function seal(
  store: KeyValueStore,
  { height, header, certificate }: SnapshotHead,
  outputs: number,
  { chainId, mode }: ImportOptions,
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
  await loadState(store, head);
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
