/**
 * A view of the head without a snapshot: reads of records that change are made while the store still ends at
 * the view's cut, and refused from the next cut on. Records that belong to a height stay readable; a missing
 * one counts as absent only while the head is unchanged, since it may have been deleted later.
 */
import { equalBytes } from 'svc-wasm/base';
import { type Head, headCodec, type Retention, retentionCodec } from '../codec/meta-records.ts';
import { metaKey } from '../commit/keys.ts';
import { StoreMovedError, StoreUnavailableError } from '../errors.ts';
import type {
  Entry,
  KeyRange,
  KeyValueReader,
  KeyValueStore,
  RangeOptions,
} from '../key-value/key-value-store.ts';
import { readMeta } from '../open/meta.ts';

const HEAD_KEY = metaKey('head');

export class HeadView {
  readonly head: Head;
  readonly retention: Retention;
  /** Reads of the head's own moment; each throws `StoreMovedError` once there is a newer cut. */
  readonly current: KeyValueReader;
  /** Reads of what keeps its value; they throw only if something is missing and there is a newer cut. */
  readonly lasting: KeyValueReader;
  readonly #store: KeyValueStore;
  readonly #record: Uint8Array;
  #revision: number;

  constructor(store: KeyValueStore) {
    const { head, retention, record, revision } = readHead(store);
    this.head = head;
    this.retention = retention;
    this.#store = store;
    this.#record = record;
    this.#revision = revision;
    this.current = new CheckedReader(store, () => this.expectCurrent());
    this.lasting = new LastingReader(store, () => this.expectCurrent());
  }

  /** The head's record is written with everything else of a cut, so it shows whether anything has changed. */
  expectCurrent(): void {
    const { revision } = this.#store;
    if (revision === this.#revision && revision % 2 === 0) return;
    const record = this.#store.getSync(HEAD_KEY);
    if (record === undefined || !equalBytes(record, this.#record)) {
      throw new StoreMovedError(`cut ${this.head.height} is not the head any more; read again`);
    }
    this.#revision = revision;
  }
}

function readHead(store: KeyValueStore) {
  for (;;) {
    const { revision } = store;
    const record = store.getSync(HEAD_KEY);
    const head = readMeta(store, 'head', headCodec);
    const retention = readMeta(store, 'retention', retentionCodec);
    if (record === undefined || head === undefined || retention === undefined) {
      throw new StoreUnavailableError('the store has no cut yet');
    }
    const after = store.getSync(HEAD_KEY);
    if (after !== undefined && equalBytes(record, after))
      return { head, retention, record, revision };
  }
}

/** Calls a check in the turn of each read, right after it has been started. */
class CheckedReader implements KeyValueReader {
  readonly #below: KeyValueReader;
  readonly #check: () => void;

  constructor(below: KeyValueReader, check: () => void) {
    this.#below = below;
    this.#check = check;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    const record = this.#below.getSync(key);
    this.#check();
    return record;
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return this.#checked(this.#below.getMany(keys));
  }

  range(options: RangeOptions): Promise<Entry[]> {
    return this.#checked(this.#below.range(options));
  }

  async *scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    for await (const entries of this.#below.scan(range)) {
      this.#check();
      yield entries;
    }
    this.#check();
  }

  async #checked<T>(reading: Promise<T>): Promise<T> {
    try {
      this.#check();
    } catch (error) {
      await reading;
      throw error;
    }
    return reading;
  }
}

/** Calls a check when something is not there. */
class LastingReader implements KeyValueReader {
  readonly #below: KeyValueReader;
  readonly #check: () => void;

  constructor(below: KeyValueReader, check: () => void) {
    this.#below = below;
    this.#check = check;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    const record = this.#below.getSync(key);
    if (record === undefined) this.#check();
    return record;
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const records = await this.#below.getMany(keys);
    if (records.includes(undefined)) this.#check();
    return records;
  }

  async range(options: RangeOptions): Promise<Entry[]> {
    const entries = await this.#below.range(options);
    if (entries.length === 0) this.#check();
    return entries;
  }

  scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    return this.#below.scan(range);
  }
}
