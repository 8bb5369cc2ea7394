/**
 * The port through which an API reads the chain: everything of one finalized height, which does not change
 * under the reader. Once there is a newer cut a reader may refuse with `StoreMovedError` what it can no longer
 * show; `readAtHead` then reads again. Lists are read a page at a time from a position on (keyset paging), so a page costs the
 * same wherever it is. Positions are values; how they become cursors is the API's business.
 */
import type {
  EconomyRecord,
  EpochRecord,
  HistoryEntry,
  KeyRecord,
  Outpoint,
  OutputRecord,
  PositionRecord,
  TransactionOutcome,
  ValidatorRecord,
} from 'svc-ledger';
import type { CutSummary } from './codec/event-records.ts';
import type {
  AddressEntry,
  Balance,
  StatusRecord,
  UnspentRecord,
  WorkRecord,
} from './codec/index-records.ts';
import type { Head, Retention } from './codec/meta-records.ts';

export interface Page<Row, Position> {
  readonly rows: readonly Row[];
  /** Where the next page continues; null on the last. */
  readonly next: Position | null;
}

export interface PageRequest<Position> {
  /** Rows behind this position; from the beginning if absent. */
  readonly after?: Position | undefined;
  readonly limit: number;
}

/** The largest pages that the specification allows. */
export const PAGE_LIMITS = {
  utxos: 512,
  history: 256,
  cuts: 100,
  cutTransactions: 64,
  cutChanges: 4_096,
  recent: 500,
  addresses: 64,
  statuses: 1_024,
} as const;

/** The second half of the output's tree key: outputs of an address are listed in its order. */
export type UtxoPosition = string;

/** A line of an address's history: the cut, and the line's place among the changes of the cut. */
export interface HistoryPosition {
  readonly height: number;
  readonly index: number;
}

export interface HistoryRow extends HistoryPosition {
  readonly entry: AddressEntry;
}

export interface HistoryRequest extends PageRequest<HistoryPosition> {
  /** Newest first unless said otherwise. */
  readonly order?: 'newest' | 'oldest';
  /** Only lines of cuts above this height. */
  readonly aboveHeight?: number;
}

export interface CutRow {
  readonly height: number;
  readonly cutId: string;
  /** The encoded header. */
  readonly header: Uint8Array;
}

export interface OutcomeRow {
  readonly height: number;
  readonly index: number;
  readonly outcome: TransactionOutcome;
}

export interface CertificateRow {
  readonly height: number;
  readonly certificate: Uint8Array;
}

export interface ChangeRow {
  readonly index: number;
  readonly entry: HistoryEntry;
}

export interface WorkRow {
  readonly id: string;
  readonly work: WorkRecord;
}

export interface PositionRow {
  readonly id: string;
  readonly position: PositionRecord;
}

export interface ChainReader {
  readonly head: Head;
  readonly retention: Retention;

  /** Synchronous: one record costs less than a promise for it. */
  balance(address: string): Balance;
  /** In the order of the addresses; at most 64. */
  balances(addresses: readonly string[]): Promise<Balance[]>;
  utxos(
    address: string,
    page: PageRequest<UtxoPosition>,
  ): Promise<Page<UnspentRecord, UtxoPosition>>;
  history(address: string, page: HistoryRequest): Promise<Page<HistoryRow, HistoryPosition>>;

  cut(height: number): Promise<CutRow | undefined>;
  cutById(cutId: string): Promise<CutRow | undefined>;
  /** Newest first, below a height if one is given. */
  cuts(page: { before?: number | undefined; limit: number }): Promise<Page<CutRow, number>>;
  cutTransactions(height: number, page: PageRequest<number>): Promise<Page<OutcomeRow, number>>;
  cutChanges(height: number, page: PageRequest<number>): Promise<Page<ChangeRow, number>>;
  /** What the cut did beside transactions; undefined if it is unknown or pruned. */
  summary(height: number): Promise<CutSummary | undefined>;
  cutBody(height: number): Promise<Uint8Array | undefined>;
  certificate(height: number): Promise<Uint8Array | undefined>;
  /** The certificate of the highest cut of a range of heights that has one, found in one read. */
  lastCertificate(from: number, last: number): Promise<CertificateRow | undefined>;

  /** Newest first. */
  recentTransactions(limit: number): Promise<OutcomeRow[]>;
  /** Newest first, those of the newest 1,024 cuts. */
  recentBlocks(limit: number): Promise<WorkRow[]>;
  statuses(transactionIds: readonly string[]): Promise<(StatusRecord | undefined)[]>;
  work(blockId: string): Promise<WorkRecord | undefined>;
  blockHeader(blockId: string): Promise<Uint8Array | undefined>;
  blockBody(blockId: string): Promise<Uint8Array | undefined>;

  outputs(outpoints: readonly Outpoint[]): Promise<(OutputRecord | undefined)[]>;
  keys(keyHashes: readonly string[]): Promise<(KeyRecord | undefined)[]>;
  /** The cuts that registered the keys; undefined for keys of the genesis and of a snapshot. */
  keyHeights(keyHashes: readonly string[]): Promise<(number | undefined)[]>;
  positionsOf(ownerAddress: string): Promise<PositionRow[]>;
  validators(): Promise<{ id: string; validator: ValidatorRecord }[]>;
  economy(): Promise<EconomyRecord>;
  epoch(): Promise<EpochRecord>;

  /** Releases the view. */
  close(): Promise<void>;
}

/** Refuses a limit that is no whole number from 1 to the most. */
export function expectLimit(limit: number, most: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw new RangeError(`expected a limit from 1 to ${most}, found ${limit}`);
}
