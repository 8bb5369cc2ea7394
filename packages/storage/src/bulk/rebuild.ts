/**
 * Builds the tree buckets and balances of a whole state from its records, in the order of the keys. Used
 * where a state arrives at once: snapshots, reindexing, benchmarks.
 */
import { TREES, type TreeName } from 'svc-ledger';
import { unpacked } from '../codec/codec.ts';
import { balanceCodec, unspentCodec } from '../codec/index-records.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import type { Entry, KeyValueStore } from '../key-value/key-value-store.ts';
import { rangeOf } from '../layout.ts';
import { BucketBuilder } from '../tree/bucket-builder.ts';
import { leavesOfValues } from '../trees/output-leaves.ts';
import { leavesOfEntries } from '../trees/record-leaves.ts';

const VALUE_BYTES = 109;
const BUCKETS_PER_WRITE = 8_192;

/** Buckets and balances from the table of unspent outputs. Returns how many outputs there are. */
export async function rebuildOutputs(store: KeyValueStore): Promise<number> {
  const buckets = new BucketWriter(store, 'outputs');
  const balances = new BalanceWriter(store);
  let count = 0;
  for await (const entries of store.scan(rangeOf('unspent'))) {
    const values = entries.map(([, value]) => value.subarray(0, VALUE_BYTES));
    for (const leaf of leavesOfValues(values)) buckets.push(leaf);
    balances.add(entries);
    await buckets.flush(BUCKETS_PER_WRITE);
    await balances.flush(false);
    count += entries.length;
  }
  await buckets.finish();
  await balances.flush(true);
  return count;
}

export const RECORD_TREES = ['positions', 'validators', 'keys'] as const;

/** Buckets of positions, validators and keys from their tables. */
export async function rebuildRecordTrees(store: KeyValueStore): Promise<void> {
  for (const tree of RECORD_TREES) await rebuildRecordTree(store, tree, () => {});
}

/** The buckets of one tree from its table; each is handed on when it is written. */
export async function rebuildRecordTree(
  store: KeyValueStore,
  tree: (typeof RECORD_TREES)[number],
  onBucket: (record: Uint8Array) => void,
): Promise<void> {
  const buckets = new BucketWriter(store, tree, onBucket);
  for await (const entries of store.scan(rangeOf(tree))) {
    for (const leaf of leavesOfEntries(tree, TREES[tree], entries)) buckets.push(leaf);
    await buckets.flush(BUCKETS_PER_WRITE);
  }
  await buckets.finish();
}

class BucketWriter {
  readonly #store: KeyValueStore;
  readonly #tree: number;
  readonly #onBucket: (record: Uint8Array) => void;
  readonly #builder = new BucketBuilder();

  constructor(
    store: KeyValueStore,
    tree: TreeName,
    onBucket: (record: Uint8Array) => void = () => {},
  ) {
    this.#store = store;
    this.#onBucket = onBucket;
    this.#tree = TREES[tree];
  }

  push(leaf: Uint8Array): void {
    this.#builder.push(leaf);
  }

  async flush(least: number): Promise<void> {
    if (this.#builder.pending < least) return;
    const batch = new BatchBuilder();
    for (const { name, record } of this.#builder.takeWrites()) {
      const key = batch.key('buckets').u8(this.#tree).raw(name).finish();
      if (record === undefined) continue;
      batch.put(key, record);
      this.#onBucket(record);
    }
    await this.#store.write(batch.operations, { sync: false });
  }

  async finish(): Promise<void> {
    this.#builder.finish();
    await this.flush(0);
  }
}

/** Outputs of one address follow each other in the order of tree keys. */
class BalanceWriter {
  readonly #store: KeyValueStore;
  #batch = new BatchBuilder();
  #address = '';
  #amount = 0n;
  #outputs = 0;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  add(entries: readonly Entry[]): void {
    for (const [, value] of entries) {
      const { address, amount } = unpacked(unspentCodec, value, 'unspent');
      if (address !== this.#address) this.#end();
      this.#address = address;
      this.#amount += amount;
      this.#outputs++;
    }
  }

  #end(): void {
    if (this.#outputs > 0) {
      const key = this.#batch.key('balances').hex(this.#address).finish();
      const balance = { amount: this.#amount, outputs: this.#outputs };
      this.#batch.pack(key, balanceCodec, balance);
    }
    this.#amount = 0n;
    this.#outputs = 0;
  }

  async flush(last: boolean): Promise<void> {
    if (last) this.#end();
    if (this.#batch.operations.length < BUCKETS_PER_WRITE && !last) return;
    const batch = this.#batch;
    this.#batch = new BatchBuilder();
    await this.#store.write(batch.operations, { sync: false });
  }
}
