/**
 * A chain reader on a view of the head. What belongs to a height stays readable when the head moves on; what
 * is true of the head alone does not.
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
  type CertificateRow,
  type ChainReader,
  type ChangeRow,
  type CutRow,
  expectLimit,
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
import type { Head, Retention } from '../codec/meta-records.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { heightKey, hexKey } from '../commit/keys.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { rangeOf } from '../layout.ts';
import { stateKey } from '../state/state-keys.ts';
import {
  type BalanceAhead,
  readBalance,
  readBalances,
  readHistory,
  readUtxos,
} from './address-reader.ts';
import {
  readChecked,
  readCut,
  readCutById,
  readCutChanges,
  readCuts,
  readCutTransactions,
  readLastCertificate,
  readRecentBlockIds,
  readRecentTransactions,
} from './cut-reader.ts';
import { HeadView } from './head-view.ts';
import { readSome } from './read-some.ts';

const EVERYTHING = Number.MAX_SAFE_INTEGER;
const NOTHING = { rows: [], next: null } as const;

export class StoredChainReader implements ChainReader {
  readonly head: Head;
  readonly retention: Retention;
  readonly #view: HeadView;
  readonly #balanceAhead: BalanceAhead;

  /** Balances may be ahead of their records while a node catches up. */
  constructor(store: KeyValueStore, balanceAhead: BalanceAhead = () => undefined) {
    this.#view = new HeadView(store);
    this.#balanceAhead = balanceAhead;
    this.head = this.#view.head;
    this.retention = this.#view.retention;
  }

  balance(address: string): Balance {
    return readBalance(this.#view.current, address, this.#balanceAhead);
  }

  balances(addresses: readonly string[]): Promise<Balance[]> {
    return readBalances(this.#view.current, addresses, this.#balanceAhead);
  }

  utxos(
    address: string,
    page: PageRequest<UtxoPosition>,
  ): Promise<Page<UnspentRecord, UtxoPosition>> {
    return readUtxos(this.#view.current, address, page);
  }

  history(address: string, page: HistoryRequest): Promise<Page<HistoryRow, HistoryPosition>> {
    return readHistory(this.#view.current, address, page);
  }

  async cut(height: number): Promise<CutRow | undefined> {
    return this.#has(height) ? readCut(this.#view.lasting, height) : undefined;
  }

  async cutById(cutId: string): Promise<CutRow | undefined> {
    const row = readCutById(this.#view.lasting, cutId);
    return row !== undefined && this.#has(row.height) ? row : undefined;
  }

  cuts({ before, limit }: { before?: number | undefined; limit: number }) {
    const end = this.head.height + 1;
    return readCuts(this.#view.lasting, { before: Math.min(before ?? end, end), limit });
  }

  async cutTransactions(
    height: number,
    page: PageRequest<number>,
  ): Promise<Page<OutcomeRow, number>> {
    expectLimit(page.limit, PAGE_LIMITS.cutTransactions);
    return this.#has(height) ? readCutTransactions(this.#view.lasting, height, page) : NOTHING;
  }

  async cutChanges(height: number, page: PageRequest<number>): Promise<Page<ChangeRow, number>> {
    expectLimit(page.limit, PAGE_LIMITS.cutChanges);
    return this.#has(height) ? readCutChanges(this.#view.lasting, height, page) : NOTHING;
  }

  async summary(height: number): Promise<CutSummary | undefined> {
    if (!this.#has(height)) return undefined;
    const record = this.#view.lasting.getSync(heightKey('events', height));
    return record === undefined ? undefined : unpacked(summaryCodec, record, 'events');
  }

  async cutBody(height: number): Promise<Uint8Array | undefined> {
    if (!this.#has(height)) return undefined;
    return readChecked(this.#view.lasting, 'cutBodies', heightKey('cutBodies', height));
  }

  async certificate(height: number): Promise<Uint8Array | undefined> {
    if (!this.#has(height)) return undefined;
    return readChecked(this.#view.lasting, 'certificates', heightKey('certificates', height));
  }

  async lastCertificate(from: number, last: number): Promise<CertificateRow | undefined> {
    const end = Math.min(last, this.head.height);
    return from > end ? undefined : readLastCertificate(this.#view.lasting, from, end);
  }

  recentTransactions(limit: number): Promise<OutcomeRow[]> {
    return readRecentTransactions(this.#view.current, limit);
  }

  async recentBlocks(limit: number): Promise<WorkRow[]> {
    return this.#works(await readRecentBlockIds(this.#view.current, limit));
  }

  async #works(ids: readonly string[]): Promise<WorkRow[]> {
    const records = await readSome(
      this.#view.current,
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
    return readSome(this.#view.current, keys, statusCodec, 'statuses');
  }

  async work(blockId: string): Promise<WorkRecord | undefined> {
    const [row] = await this.#works([blockId]);
    return row?.work;
  }

  async blockHeader(blockId: string): Promise<Uint8Array | undefined> {
    return readChecked(this.#view.lasting, 'blockHeaders', hexKey('blockHeaders', blockId));
  }

  async blockBody(blockId: string): Promise<Uint8Array | undefined> {
    return readChecked(this.#view.lasting, 'blockBodies', hexKey('blockBodies', blockId));
  }

  outputs(outpoints: readonly Outpoint[]): Promise<(OutputRecord | undefined)[]> {
    return this.#states('outputs', outpoints.map(outpointKey));
  }

  keys(keyHashes: readonly string[]): Promise<(KeyRecord | undefined)[]> {
    return this.#states('keys', keyHashes);
  }

  keyHeights(keyHashes: readonly string[]): Promise<(number | undefined)[]> {
    const keys = keyHashes.map((keyHash) => hexKey('keyHeights', keyHash));
    return readSome(this.#view.current, keys, keyHeightCodec, 'keyHeights');
  }

  async positionsOf(ownerAddress: string): Promise<PositionRow[]> {
    const range = rangeOf('ownedPositions', fromHex(ownerAddress));
    const entries = await this.#view.current.range({ ...range, limit: EVERYTHING });
    const ids = entries.map(([key]) => toHex(key.subarray(range.from.length)));
    const records = await this.#states('positions', ids);
    return records.flatMap((position, index) =>
      position === undefined ? [] : [{ id: ids[index] as string, position }],
    );
  }

  async validators(): Promise<{ id: string; validator: ValidatorRecord }[]> {
    const entries = await this.#view.current.range({ ...rangeOf('validators'), limit: EVERYTHING });
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

  /** A view holds nothing. */
  async close(): Promise<void> {}

  /** Whether the view's chain has a cut of this height; the store may have newer ones by now. */
  #has(height: number): boolean {
    return height <= this.head.height;
  }

  async #single<T extends 'economy' | 'epoch'>(table: T): Promise<Tables[T]> {
    const [record] = await this.#states(table, [SINGLE_KEY]);
    if (record === undefined) throw new StoreUnavailableError(`the store has no ${table}`);
    return record;
  }

  #states<T extends Table>(table: T, keys: readonly string[]): Promise<(Tables[T] | undefined)[]> {
    const stored = keys.map((key) => stateKey(table, key));
    return readSome<Tables[T]>(this.#view.current, stored, STATE_CODECS[table], table);
  }
}
