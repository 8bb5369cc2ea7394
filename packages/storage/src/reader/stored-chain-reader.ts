/**
 * A chain reader on a snapshot of the database, in the thread that commits or in any other.
 */
import {
  type EconomyRecord,
  type EpochRecord,
  type KeyRecord,
  type Outpoint,
  type OutputRecord,
  outpointKey,
  SINGLE_KEY,
  type Table,
  type Tables,
  type ValidatorRecord,
} from 'svc-ledger';
import { fromHex, toHex } from 'svc-wasm/base';
import {
  type ChainReader,
  type ChangeRow,
  type CutRow,
  type HistoryPosition,
  type HistoryRequest,
  type HistoryRow,
  type OutcomeRow,
  PAGE_LIMITS,
  type Page,
  type PageRequest,
  type PositionRow,
  type UtxoPosition,
  type WorkRow,
} from '../chain-reader.ts';
import { unpacked } from '../codec/codec.ts';
import { type CutSummary, summaryCodec } from '../codec/event-records.ts';
import {
  type Balance,
  keyHeightCodec,
  type StatusRecord,
  statusCodec,
  type UnspentRecord,
  type WorkRecord,
  workCodec,
} from '../codec/index-records.ts';
import { type Head, headCodec, type Retention, retentionCodec } from '../codec/meta-records.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { heightKey, hexKey } from '../commit/keys.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { KeyValueSnapshot } from '../key-value/key-value-store.ts';
import { rangeOf } from '../layout.ts';
import { readMeta } from '../open/meta.ts';
import { stateKey } from '../state/state-keys.ts';
import { readBalances, readHistory, readUtxos } from './address-reader.ts';
import {
  readChecked,
  readCut,
  readCutById,
  readCutChanges,
  readCuts,
  readCutTransactions,
  readRecentBlockIds,
  readRecentTransactions,
} from './cut-reader.ts';
import { readSome } from './read-some.ts';

const EVERYTHING = Number.MAX_SAFE_INTEGER;

export class StoredChainReader implements ChainReader {
  readonly head: Head;
  readonly retention: Retention;
  readonly #reader: KeyValueSnapshot;

  /** Takes over the snapshot. */
  constructor(snapshot: KeyValueSnapshot) {
    const head = readMeta(snapshot, 'head', headCodec);
    const retention = readMeta(snapshot, 'retention', retentionCodec);
    if (head === undefined || retention === undefined) {
      throw new StoreUnavailableError('the store has no cut yet');
    }
    this.head = head;
    this.retention = retention;
    this.#reader = snapshot;
  }

  balances(addresses: readonly string[]): Promise<Balance[]> {
    return readBalances(this.#reader, addresses);
  }

  utxos(
    address: string,
    page: PageRequest<UtxoPosition>,
  ): Promise<Page<UnspentRecord, UtxoPosition>> {
    return readUtxos(this.#reader, address, page);
  }

  history(address: string, page: HistoryRequest): Promise<Page<HistoryRow, HistoryPosition>> {
    return readHistory(this.#reader, address, page);
  }

  async cut(height: number): Promise<CutRow | undefined> {
    return readCut(this.#reader, height);
  }

  async cutById(cutId: string): Promise<CutRow | undefined> {
    return readCutById(this.#reader, cutId);
  }

  cuts(page: { before?: number | undefined; limit: number }): Promise<Page<CutRow, number>> {
    return readCuts(this.#reader, page);
  }

  cutTransactions(height: number, page: PageRequest<number>): Promise<Page<OutcomeRow, number>> {
    return readCutTransactions(this.#reader, height, page);
  }

  cutChanges(height: number, page: PageRequest<number>): Promise<Page<ChangeRow, number>> {
    return readCutChanges(this.#reader, height, page);
  }

  async summary(height: number): Promise<CutSummary | undefined> {
    const record = this.#reader.getSync(heightKey('events', height));
    return record === undefined ? undefined : unpacked(summaryCodec, record, 'events');
  }

  async cutBody(height: number): Promise<Uint8Array | undefined> {
    return readChecked(this.#reader, 'cutBodies', heightKey('cutBodies', height));
  }

  async certificate(height: number): Promise<Uint8Array | undefined> {
    return readChecked(this.#reader, 'certificates', heightKey('certificates', height));
  }

  recentTransactions(limit: number): Promise<OutcomeRow[]> {
    return readRecentTransactions(this.#reader, limit);
  }

  async recentBlocks(limit: number): Promise<WorkRow[]> {
    return this.#works(await readRecentBlockIds(this.#reader, limit));
  }

  async #works(ids: readonly string[]): Promise<WorkRow[]> {
    const records = await readSome(
      this.#reader,
      ids.map((id) => hexKey('work', id)),
      workCodec,
      'work',
    );
    return records.flatMap((work, index) =>
      work === undefined ? [] : [{ id: ids[index] as string, work }],
    );
  }

  statuses(transactionIds: readonly string[]): Promise<(StatusRecord | undefined)[]> {
    if (transactionIds.length > PAGE_LIMITS.statuses) {
      throw new RangeError(`expected at most ${PAGE_LIMITS.statuses} transaction ids`);
    }
    const keys = transactionIds.map((id) => hexKey('statuses', id));
    return readSome(this.#reader, keys, statusCodec, 'statuses');
  }

  async work(blockId: string): Promise<WorkRecord | undefined> {
    const [row] = await this.#works([blockId]);
    return row?.work;
  }

  async blockHeader(blockId: string): Promise<Uint8Array | undefined> {
    return readChecked(this.#reader, 'blockHeaders', hexKey('blockHeaders', blockId));
  }

  async blockBody(blockId: string): Promise<Uint8Array | undefined> {
    return readChecked(this.#reader, 'blockBodies', hexKey('blockBodies', blockId));
  }

  outputs(outpoints: readonly Outpoint[]): Promise<(OutputRecord | undefined)[]> {
    return this.#states('outputs', outpoints.map(outpointKey));
  }

  keys(keyHashes: readonly string[]): Promise<(KeyRecord | undefined)[]> {
    return this.#states('keys', keyHashes);
  }

  keyHeights(keyHashes: readonly string[]): Promise<(number | undefined)[]> {
    const keys = keyHashes.map((keyHash) => hexKey('keyHeights', keyHash));
    return readSome(this.#reader, keys, keyHeightCodec, 'keyHeights');
  }

  async positionsOf(ownerAddress: string): Promise<PositionRow[]> {
    const range = rangeOf('ownedPositions', fromHex(ownerAddress));
    const entries = await this.#reader.range({ ...range, limit: EVERYTHING });
    const ids = entries.map(([key]) => toHex(key.subarray(range.from.length)));
    const records = await this.#states('positions', ids);
    return records.flatMap((position, index) =>
      position === undefined ? [] : [{ id: ids[index] as string, position }],
    );
  }

  async validators(): Promise<{ id: string; validator: ValidatorRecord }[]> {
    const entries = await this.#reader.range({ ...rangeOf('validators'), limit: EVERYTHING });
    return entries.map(([key, value]) => ({
      id: toHex(key.subarray(1)),
      validator: unpacked(STATE_CODECS.validators, value, 'validators'),
    }));
  }

  economy(): Promise<EconomyRecord> {
    return this.#single('economy');
  }

  epoch(): Promise<EpochRecord> {
    return this.#single('epoch');
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #single<T extends 'economy' | 'epoch'>(table: T): Promise<Tables[T]> {
    const [record] = await this.#states(table, [SINGLE_KEY]);
    if (record === undefined) throw new StoreUnavailableError(`the store has no ${table}`);
    return record;
  }

  #states<T extends Table>(table: T, keys: readonly string[]): Promise<(Tables[T] | undefined)[]> {
    const stored = keys.map((key) => stateKey(table, key));
    return readSome<Tables[T]>(this.#reader, stored, STATE_CODECS[table], table);
  }
}
