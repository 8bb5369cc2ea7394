/**
 * The state of one cut that stays readable while later cuts are committed. What a later cut changes is kept here as it
 * was, in memory, before it is written; a read puts it in the place of what the store has by then. The engine has no
 * snapshots that could do this. It must be released, and gives up by itself when too much has changed.
 */
import type { Change, Table } from 'svc-ledger';
import type { Head } from '../codec/meta-records.ts';
import { SOURCES } from '../codec/names.ts';
import { Packer } from '../codec/packer.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { Entry, KeyValueReader } from '../key-value/key-value-store.ts';
import { LAYOUT, rangeOf } from '../layout.ts';
import { keyOfLeaf, type OutputLeaf } from '../trees/output-leaves.ts';

/** Records that are kept at most, some 300 bytes of memory each. */
export const KEPT_RECORDS_MAX = 1_000_000;
const RECORDS_PER_READ = 2_048;

/** What one cut changed, as it was before: ascending keys, and undefined for what was not there. */
interface Layer {
  readonly keys: readonly string[];
  readonly values: ReadonlyMap<string, Uint8Array | undefined>;
}

/** Outputs are read in the order of their tree keys, from the list of unspent ones. */
export type FrozenTable = Exclude<Table, 'outputs'> | 'unspent';

export class FrozenState {
  readonly head: Head;
  readonly #reader: KeyValueReader;
  readonly #keptMax: number;
  readonly #onRelease: () => void;
  /** Since the frozen cut, the oldest first. */
  #layers: Layer[] = [];
  #kept = 0;
  #isReleased = false;

  constructor(head: Head, reader: KeyValueReader, onRelease: () => void, keptMax: number) {
    this.head = head;
    this.#reader = reader;
    this.#onRelease = onRelease;
    this.#keptMax = keptMax;
  }

  /** Must be called before a later cut is written. */
  keep(changes: readonly Change[], outputs: readonly OutputLeaf[]): void {
    if (this.#isReleased) return;
    const packer = new Packer();
    const values = new Map<string, Uint8Array | undefined>();
    for (const { table, key, before } of changes) {
      if (table === 'outputs') continue;
      const prefix = LAYOUT[table].prefix.toString(16);
      const codec = STATE_CODECS[table] as { pack(packer: Packer, value: unknown): void };
      if (before !== undefined) codec.pack(packer, before);
      values.set(prefix + key, before === undefined ? undefined : packer.finish());
    }
    const unspent = LAYOUT.unspent.prefix.toString(16);
    for (const { leaf, value, output, present } of outputs) {
      const key = unspent + Buffer.from(keyOfLeaf(leaf)).toString('hex');
      const { source, height } = output;
      if (!present) packer.raw(value).u8(SOURCES.indexOf(source)).number(height);
      values.set(key, present ? undefined : packer.finish());
    }
    this.#kept += values.size;
    if (this.#kept > this.#keptMax) this.release();
    else this.#layers.push({ keys: [...values.keys()].sort(), values });
  }

  /** All records of a table as of the cut, in the order of their keys, some at a time. */
  async *scan(table: FrozenTable): AsyncGenerator<readonly Entry[]> {
    const { from: first, to } = rangeOf(table);
    for (let from = first; ; ) {
      this.#expectKept();
      const entries = await this.#reader.range({ from, to, limit: RECORDS_PER_READ });
      this.#expectKept();
      const last = entries.length < RECORDS_PER_READ ? undefined : entries.at(-1)?.[0];
      const end = last === undefined ? to : after(last);
      yield this.#asOfCut(entries, hexOf(from), hexOf(end));
      if (last === undefined) return;
      from = end;
    }
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#layers = [];
    this.#onRelease();
  }

  #expectKept(): void {
    if (!this.#isReleased) return;
    const { height } = this.head;
    throw new StoreUnavailableError(`too much has changed since cut ${height} to read its state`);
  }

  /** The oldest layer that has a key has it as it was at the cut. */
  #asOfCut(entries: readonly Entry[], from: string, to: string): readonly Entry[] {
    const kept = new Map<string, Uint8Array | undefined>();
    for (const { keys, values } of this.#layers) {
      for (let at = firstFrom(keys, from); at < keys.length; at++) {
        const key = keys[at] as string;
        if (key >= to) break;
        if (!kept.has(key)) kept.set(key, values.get(key));
      }
    }
    if (kept.size === 0) return entries;
    const merged = new Map(entries.map(([key, value]) => [hexOf(key), value]));
    for (const [key, value] of kept) {
      if (value === undefined) merged.delete(key);
      else merged.set(key, value);
    }
    const keys = [...merged.keys()].sort();
    return keys.map((key) => [Buffer.from(key, 'hex'), merged.get(key) as Uint8Array]);
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** The lowest key above another. */
function after(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}

/** The place of the first key that is not below another. */
function firstFrom(keys: readonly string[], from: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
