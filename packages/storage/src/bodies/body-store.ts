/**
 * The engine with bodies of blocks in files beside it. Bodies are most of what a chain writes and never change, and the
 * engine would copy each of them several times while it sorts its tables. Callers do not see the files; in the engine a
 * body is a place. The database names a place only once the bytes are on the disk, so that a crash leaves no name without
 * its body.
 */
import { join } from 'node:path';
import { toHex } from 'svc-wasm/base';
import type {
  Entry,
  KeyRange,
  KeyValueStore,
  RangeOptions,
  ReadOptions,
  WriteBatch,
  WriteOperation,
  WriteOptions,
} from '../key-value/key-value-store.ts';
import { withoutPrefix } from '../key-value/packed-records.ts';
import { rangeOf } from '../layout.ts';
import { BodyFiles, type BodyFilesOptions } from './body-files.ts';
import {
  BODY_PREFIX,
  type BodyEntry,
  type BodyPlace,
  contentsRecord,
  fileKey,
  fileOf,
  inlineRecord,
  isBodyKey,
  liesInFile,
  placeRecord,
  readContents,
  readStored,
} from './body-records.ts';

interface WaitingBody {
  readonly key: Uint8Array;
  readonly place: BodyPlace;
}

/** The last operation of a batch on each body, by key; without a record the body is deleted. */
type BodyChanges = Map<string, { readonly key: Uint8Array; readonly record?: Uint8Array }>;

/** Where the files of a database are. */
export function bodiesOf(database: string): string {
  return join(database, 'bodies');
}

export class BodyStore implements KeyValueStore {
  readonly #below: KeyValueStore;
  readonly #files: BodyFiles;
  /** Bodies in the files that the next write will name in the database; scans do not show them before. */
  readonly #waiting = new Map<string, WaitingBody>();
  #lastWrite: Promise<void> = Promise.resolve();

  private constructor(below: KeyValueStore, files: BodyFiles) {
    this.#below = below;
    this.#files = files;
  }

  /** Closes the engine where the files are not as the database says. */
  static async open(
    below: KeyValueStore,
    database: string,
    options: BodyFilesOptions = {},
  ): Promise<BodyStore> {
    try {
      const range = { ...rangeOf('bodyFiles'), limit: Number.MAX_SAFE_INTEGER };
      const contents = (await below.range(range)).map(
        ([key, stored]) => [fileOf(key), readContents(key, stored)] as const,
      );
      return new BodyStore(below, new BodyFiles(bodiesOf(database), contents, options));
    } catch (error) {
      await below.close();
      throw error;
    }
  }

  /** Removes what a crash left in the files, which would look like corruption; called before anything is written. */
  cutOff(): void {
    this.#files.cutOff();
  }

  get revision(): number {
    return this.#below.revision;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    if (!isBodyKey(key)) return this.#below.getSync(key);
    const found = this.#find(key);
    return found === undefined || found instanceof Uint8Array ? found : this.#files.readSync(found);
  }

  async getMany(
    keys: readonly Uint8Array[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    if (!keys.some(isBodyKey)) return this.#below.getMany(keys, options);
    const waiting = keys.map((key) => (isBodyKey(key) ? this.#waitingPlace(key) : undefined));
    const records = await this.#below.getMany(keys, options);
    return await Promise.all(
      records.map(async (record, at) => {
        const place = waiting[at];
        const key = keys[at] as Uint8Array;
        if (place !== undefined) return await this.#read(key, place);
        return record === undefined ? undefined : await this.#resolved(key, record);
      }),
    );
  }

  async range(options: RangeOptions): Promise<Entry[]> {
    return await this.#resolvedAll(await this.#below.range(options));
  }

  async *scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    for await (const entries of this.#below.scan(range)) yield await this.#resolvedAll(entries);
  }

  batch(): WriteBatch {
    const batch = this.#below.batch();
    const { putAll } = batch;
    const changes: BodyChanges = new Map();
    const change = (key: Uint8Array, record: Uint8Array | undefined): void => {
      const copied = record === undefined ? {} : { record: record.slice() };
      changes.set(toHex(key), { key: key.slice(), ...copied });
    };
    return {
      copies: batch.copies ?? false,
      putAll: putAll && ((records) => putAll(withoutPrefix(records, BODY_PREFIX, change))),
      put: (key, record) => {
        if (!isBodyKey(key)) batch.put(key, record);
        else change(key, record);
      },
      delete: (key) => {
        if (!isBodyKey(key)) batch.delete(key);
        else change(key, undefined);
      },
      write: (options) => this.#inTurn(() => this.#write(batch, changes, options)),
    };
  }

  write(operations: readonly WriteOperation[], options: WriteOptions): Promise<void> {
    if (options.isBeside === true) return this.#writeBeside(operations);
    const batch = this.#below.batch();
    const changes: BodyChanges = new Map();
    for (const operation of operations) {
      const { key } = operation;
      if (isBodyKey(key))
        changes.set(
          toHex(key),
          operation.type === 'put' ? { key, record: operation.value } : { key },
        );
      else if (operation.type === 'put') batch.put(key, operation.value);
      else batch.delete(key);
    }
    return this.#inTurn(() => this.#write(batch, changes, options));
  }

  /** Nothing goes to the database: what is not synced there may be lost although later writes are synced. */
  async #writeBeside(operations: readonly WriteOperation[]): Promise<void> {
    const bodies = new Map<string, BodyEntry>();
    for (const operation of operations) {
      const { key } = operation;
      if (operation.type !== 'put' || !isBodyKey(key) || !liesInFile(operation.value))
        throw new Error('nothing but large bodies can be written beside others');
      bodies.set(toHex(key), { key, record: operation.value });
    }
    await this.#inTurn(async () => {
      for (const { key } of bodies.values()) this.#release(key);
      await this.#append([...bodies.values()]);
    });
  }

  sizeOf(range: KeyRange): Promise<number> {
    return this.#below.sizeOf(range);
  }

  compact(range: KeyRange): Promise<void> {
    return this.#below.compact(range);
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    await this.#files.close();
    await this.#below.close();
  }

  #inTurn(write: () => Promise<void>): Promise<void> {
    const written = this.#lastWrite.then(write);
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  async #write(batch: WriteBatch, changes: BodyChanges, { sync }: WriteOptions): Promise<void> {
    const large: BodyEntry[] = [];
    for (const { key, record } of changes.values()) {
      this.#release(key);
      if (record === undefined) batch.delete(key);
      else if (liesInFile(record)) large.push({ key, record });
      else batch.put(key, inlineRecord({ key, record }));
    }
    await this.#append(large);
    await this.#nameAll(batch, sync);
  }

  /** The file of a body that is replaced or deleted holds one less. */
  #release(key: Uint8Array): void {
    const before = this.#find(key);
    if (before !== undefined && !(before instanceof Uint8Array)) this.#files.release(before);
    this.#waiting.delete(toHex(key));
  }

  /** Bodies in the files, which the next write names. */
  async #append(bodies: readonly BodyEntry[]): Promise<void> {
    const places = await this.#files.append(bodies);
    places.forEach((place, at) => {
      const { key } = bodies[at] as BodyEntry;
      this.#waiting.set(toHex(key), { key, place });
    });
  }

  /** Writes a batch with the places of all pending bodies. */
  async #nameAll(batch: WriteBatch, sync: boolean): Promise<void> {
    await this.#files.sync();
    for (const { key, place } of this.#waiting.values()) batch.put(key, placeRecord(key, place));
    for (const [file, contents] of this.#files.takeChanges()) {
      const key = fileKey(file);
      if (contents === undefined) batch.delete(key);
      else batch.put(key, contentsRecord(key, contents));
    }
    await batch.write({ sync });
    this.#waiting.clear();
    if (sync) this.#files.removeOver();
  }

  #waitingPlace(key: Uint8Array): BodyPlace | undefined {
    return this.#waiting.size === 0 ? undefined : this.#waiting.get(toHex(key))?.place;
  }

  #find(key: Uint8Array): Uint8Array | BodyPlace | undefined {
    const waiting = this.#waitingPlace(key);
    if (waiting !== undefined) return waiting;
    const stored = this.#below.getSync(key);
    return stored === undefined ? undefined : readStored(key, stored);
  }

  #resolved(key: Uint8Array, record: Uint8Array): Uint8Array | Promise<Uint8Array | undefined> {
    if (!isBodyKey(key)) return record;
    const found = readStored(key, record);
    return found instanceof Uint8Array ? found : this.#read(key, found);
  }

  /** A body that was deleted or replaced since it was found may be removed with its file. */
  async #read(key: Uint8Array, place: BodyPlace): Promise<Uint8Array | undefined> {
    try {
      return await this.#files.read(place);
    } catch (error) {
      const now = this.#find(key);
      if (now === undefined || now instanceof Uint8Array) return now;
      if (now.file === place.file) throw error;
      return await this.#read(key, now);
    }
  }

  async #resolvedAll(entries: readonly Entry[]): Promise<Entry[]> {
    if (!entries.some(([key]) => isBodyKey(key))) return entries as Entry[];
    const resolved: Entry[] = [];
    for (const [key, stored] of entries) {
      const record = await this.#resolved(key, stored);
      if (record !== undefined) resolved.push([key, record]);
    }
    return resolved;
  }
}
