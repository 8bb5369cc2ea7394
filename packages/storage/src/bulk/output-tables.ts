/**
 * Makes all tables of outputs from outputs that come in the order of their tree keys: the list of unspent ones and the
 * buckets at once, since they are in that order too; outputs by name and balances by address when all have come. The tree
 * above the buckets is built on the way, and each output is hashed once. It decodes nothing: the bytes of a record are the
 * same in all of them.
 */
import { join } from 'node:path';
import { TREES } from 'svc-ledger';
import { OUTPUT_BYTES, turnIndex, UNSPENT_BYTES, unspentOfOutputs } from '../codec/output-bytes.ts';
import { ADDRESS_BYTES, OUTPOINT_BYTES } from '../codec/sizes.ts';
import { StoreDamagedError } from '../errors.ts';
import type { Entry } from '../key-value/key-value-store.ts';
import { LAYOUT } from '../layout.ts';
import { LEAF_BYTES } from '../tree/bucket.ts';
import { BucketBuilder } from '../tree/bucket-builder.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';
import type { TreeLoader } from '../tree/tree-loader.ts';
import { hashedOutputs } from '../trees/output-leaves.ts';
import type { TableRuns } from './table-runs.ts';
import { UnsortedRecords, type UnsortedTable } from './unsorted-records.ts';

const UNSPENT_KEY_BYTES = 1 + KEY_BYTES;
const BALANCE_BYTES = 16;

const OUTPUTS: UnsortedTable = {
  prefix: LAYOUT.outputs.prefix,
  keyBytes: OUTPOINT_BYTES,
  valueBytes: OUTPUT_BYTES,
  partOf: (bytes, at) => bytes[at] as number,
};
/** The first byte of an address is its kind, and there are few kinds. */
const BALANCES: UnsortedTable = {
  prefix: LAYOUT.balances.prefix,
  keyBytes: ADDRESS_BYTES,
  valueBytes: BALANCE_BYTES,
  partOf: (bytes, at) => (((bytes[at] as number) << 8) | (bytes[at + 1] as number)) >> 1,
};

export class OutputTables {
  readonly #runs: TableRuns;
  readonly #loader: TreeLoader;
  readonly #outputs: UnsortedRecords;
  readonly #balances: UnsortedRecords;
  readonly #builder = new BucketBuilder();
  readonly #balance = new Balance();
  #count = 0;

  /** Keeps temporary files in the directory until it is closed. */
  constructor(directory: string, runs: TableRuns, loader: TreeLoader) {
    this.#runs = runs;
    this.#loader = loader;
    this.#outputs = new UnsortedRecords(join(directory, 'outputs.unsorted'), OUTPUTS);
    this.#balances = new UnsortedRecords(join(directory, 'balances.unsorted'), BALANCES);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds the next records of the table of outputs, in the order of their tree keys. */
  async add(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const unspent = unspentOfOutputs(entries);
    const leaves = hashedOutputs(unspent, UNSPENT_BYTES, entries.length);
    this.#list(unspent, leaves);
    this.#name(unspent);
    this.#count += entries.length;
    this.#putBuckets();
    await this.#runs.settle();
  }

  /** What is in the order of tree keys: the list of unspent outputs, and the tree. */
  #list(unspent: Uint8Array, leaves: Uint8Array): void {
    const { prefix } = LAYOUT.unspent;
    const keys = new Uint8Array((leaves.length / LEAF_BYTES) * UNSPENT_KEY_BYTES);
    let [keyAt, at] = [0, 0];
    for (let leafAt = 0; leafAt < leaves.length; leafAt += LEAF_BYTES) {
      keys[keyAt] = prefix;
      for (let i = 0; i < KEY_BYTES; i++) keys[keyAt + 1 + i] = leaves[leafAt + i] as number;
      const key = keys.subarray(keyAt, keyAt + UNSPENT_KEY_BYTES);
      this.#runs.put(key, unspent.subarray(at, at + UNSPENT_BYTES));
      this.#push(leaves.subarray(leafAt, leafAt + LEAF_BYTES));
      keyAt += UNSPENT_KEY_BYTES;
      at += UNSPENT_BYTES;
    }
  }

  /** What is in the order of outpoints and of addresses. */
  #name(unspent: Uint8Array): void {
    const view = new DataView(unspent.buffer);
    const named = unspent.slice();
    for (let at = 0; at < unspent.length; at += UNSPENT_BYTES) {
      const ended = this.#balance.add(view, at + OUTPOINT_BYTES);
      if (ended !== undefined) this.#balances.add(ended, 0);
      turnIndex(named, at);
      this.#outputs.add(named, at);
    }
  }

  #push(leaf: Uint8Array): void {
    try {
      this.#builder.push(leaf);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new StoreDamagedError('the outputs of the state are out of order; get it anew', {
        cause,
      });
    }
  }

  #putBuckets(): void {
    for (const { name, record } of this.#builder.takeWrites()) {
      if (record === undefined) continue;
      this.#loader.push(record);
      const key = new Uint8Array(2 + name.length);
      key[0] = LAYOUT.buckets.prefix;
      key[1] = TREES.outputs;
      key.set(name, 2);
      this.#runs.put(key, record);
    }
  }

  /** Writes the rest; `onPlaced` gets the number of outputs in the place that their names give them. */
  async finish(onPlaced: (outputs: number) => void): Promise<void> {
    this.#builder.finish();
    this.#putBuckets();
    const last = this.#balance.end();
    if (last !== undefined) this.#balances.add(last, 0);
    await this.#runs.finish();
    let placed = 0;
    for (const records of this.#outputs.sorted()) {
      await this.#putAll(records);
      placed += records.length;
      onPlaced(placed);
    }
    for (const records of this.#balances.sorted()) await this.#putAll(records);
    await this.#runs.finish();
  }

  async #putAll(records: readonly Entry[]): Promise<void> {
    for (const [key, value] of records) this.#runs.put(key, value);
    await this.#runs.settle();
  }

  close(): void {
    this.#outputs.close();
    this.#balances.close();
  }
}

/** Sums the balance of an address: its outputs are consecutive in the order of tree keys. */
class Balance {
  readonly #address = new Uint8Array(ADDRESS_BYTES);
  /** Address and balance, as the table has them. */
  readonly #record = new Uint8Array(ADDRESS_BYTES + BALANCE_BYTES);
  readonly #view = new DataView(this.#record.buffer, ADDRESS_BYTES);
  #amount = 0n;
  #outputs = 0;

  /** Takes address and amount at a place; returns the record of the address before if this is another. */
  add(bytes: DataView, at: number): Uint8Array | undefined {
    const isSame = this.#outputs > 0 && this.#isAt(bytes, at);
    const ended = isSame ? undefined : this.end();
    if (!isSame) for (let i = 0; i < ADDRESS_BYTES; i++) this.#address[i] = bytes.getUint8(at + i);
    this.#amount += bytes.getBigUint64(at + ADDRESS_BYTES, true);
    this.#outputs++;
    return ended;
  }

  #isAt(bytes: DataView, at: number): boolean {
    for (let i = ADDRESS_BYTES - 1; i >= 0; i--)
      if (bytes.getUint8(at + i) !== this.#address[i]) return false;
    return true;
  }

  /** The record of the address, in memory that the next one has too; undefined if there was no output. */
  end(): Uint8Array | undefined {
    if (this.#outputs === 0) return undefined;
    this.#record.set(this.#address);
    this.#view.setBigUint64(0, this.#amount, true);
    this.#view.setUint32(8, this.#outputs, true);
    this.#amount = 0n;
    this.#outputs = 0;
    return this.#record;
  }
}
