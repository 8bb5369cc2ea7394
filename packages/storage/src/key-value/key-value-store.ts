/**
 * The port to the embedded database: byte strings in order, atomic durable batches. Nothing above it knows
 * which engine runs. There are no snapshots: a read shows the moment of its call, and a caller that needs
 * several reads of one moment compares `revision` or a record that each write changes.
 */
import type { Packer } from '../codec/packer.ts';
import type { PackedRecords } from './packed-records.ts';

export interface Put {
  readonly type: 'put';
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface Delete {
  readonly type: 'del';
  readonly key: Uint8Array;
}

/** Applied in order: the last operation on a key counts. */
export type WriteOperation = Put | Delete;

export type Entry = readonly [key: Uint8Array, value: Uint8Array];

/** Keys from `from` on and below `to`. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

export interface RangeOptions extends KeyRange {
  readonly limit: number;
  /** From the highest key downwards. */
  readonly reverse?: boolean;
}

export interface ReadOptions {
  /** The records are not read again soon: the engine does not cache them. */
  readonly isOnce?: boolean;
}

/** Each call of `getMany` and `range` reads the database as it is at the call, whenever it resolves. */
export interface KeyValueReader {
  getSync(key: Uint8Array): Uint8Array | undefined;
  getMany(keys: readonly Uint8Array[], options?: ReadOptions): Promise<(Uint8Array | undefined)[]>;
  /** At most `limit` entries, in order. */
  range(options: RangeOptions): Promise<Entry[]>;
  /** All entries of a range, in order, some at a time; each piece shows the moment at which it is read. */
  scan(range: KeyRange): AsyncIterable<readonly Entry[]>;
}

export interface BatchOptions {
  /** The batch may be kept in memory, and be lost with the process, until a batch is written that may not. */
  readonly mayWait?: boolean;
}

export interface WriteOptions {
  /** On the disk when the promise resolves. */
  readonly sync: boolean;
  /** All operations are bodies of blocks that are in files, and may be lost until the next write that is not beside others. */
  readonly isBeside?: boolean;
}

/** Packs the records of a batch in their final memory, each value after its key, without a view or a copy of either. */
export interface DirectRecords {
  readonly packer: Packer;
  /** What follows is the value. */
  endKey(): void;
  endPut(): void;
  /** Ends a record that has a key alone, which is to be deleted. */
  endDelete(): void;
}

/** A batch that takes its operations one by one, so that none has to be kept until it is written. */
export interface WriteBatch {
  /** Whether key and value are copied when `put` returns, so that the caller may use their memory again. */
  readonly copies?: boolean;
  put(key: Uint8Array, value: Uint8Array): void;
  delete(key: Uint8Array): void;
  /** Not there where records are not kept. */
  readonly direct?: DirectRecords | undefined;
  /**
   * Puts and deletes many records before any other; the store may change their memory. Absent where it would be no
   * faster than one record after another.
   */
  readonly putAll?: ((records: PackedRecords) => void) | undefined;
  /** Ends the batch. */
  write(options: WriteOptions): Promise<void>;
}

export interface KeyValueStore extends KeyValueReader {
  /** Two equal even numbers say that nothing was written in between; an odd one that a write is under way. */
  readonly revision: number;
  batch(options?: BatchOptions): WriteBatch;
  /** All or nothing; with `sync`, on the disk when the promise resolves. */
  write(operations: readonly WriteOperation[], options: WriteOptions): Promise<void>;
  /** About how many bytes of files the records of a range take, with those whose deletion left their bytes behind. */
  sizeOf(range: KeyRange): Promise<number>;
  /** Rewrites the files of a range without deleted records. It changes no answer; writes wait until it has ended. */
  compact(range: KeyRange): Promise<void>;
  close(): Promise<void>;
}
