/**
 * A state tree of `docs/protocol.md` 9 that keeps its leaves in stored buckets and everything above
 * them in memory. A bucket is a largest subtree of at most `BUCKET_LEAVES_MAX` leaves, so the split into
 * buckets depends on the set of keys alone, never on the order in which it came to be.
 *
 * `put` and `remove` work on the structure and on the records of the buckets they meet; `settle` then
 * hashes what changed, bottom up; `commit` keeps it, `rollback` forgets it. Writes are the caller's.
 */
import { hashBuckets } from 'svc-wasm/protocol';
import { StoreDamagedError } from '../errors.ts';
import {
  BUCKET_LEAVES_MAX,
  bucketOf,
  findLeaf,
  hasSubtree,
  isSoundBucket,
  leafAt,
  leafCount,
  leavesOf,
  partingOf,
  SUBTREE_BYTES,
  sealBucket,
  withLeaf,
  withoutLeaf,
} from './bucket.ts';
import type { ChangeWords } from './change-words.ts';
import { IntegerList } from './growing.ts';
import { HashList, hashUpwards } from './hash-upwards.ts';
import { bitAt, firstDifference } from './key-bits.ts';
import { NO_NODE, SUBTREE_WORDS } from './node-table.ts';
import { RecentBuckets } from './recent-buckets.ts';
import { TreeTables } from './tree-tables.ts';

/** Reads the record stored under a bucket's name; `undefined` if there is none. */
export type ReadBucket = (name: Uint8Array) => Uint8Array | undefined;

/** Called before the error about a stored record that is not the tree's is thrown. */
export type OnDamage = (damage: StoreDamagedError) => void;

export interface BucketWrite {
  readonly name: Uint8Array;
  /** Absent: the record is deleted. */
  readonly record: Uint8Array | undefined;
}

/** Buckets to be read ahead: their names, and the function to which each found record is handed. */
export interface BucketsAhead {
  readonly names: readonly Uint8Array[];
  /** Ignored once a change was made since the names were listed. */
  offer(index: number, record: Uint8Array): void;
}

/** What will happen to the leaves of keys. */
export type LeavesAhead = 'put' | 'removed';

export class TreeInconsistent extends Error {
  override readonly name = 'TreeInconsistent';
}

export class BucketTree {
  readonly tables: TreeTables = new TreeTables();
  readonly #read: ReadBucket;
  readonly #onDamage: OnDamage;
  /** Records of the buckets met since the last commit. */
  readonly #open = new Map<number, Uint8Array>();
  readonly #dirty = new Set<number>();
  /** Records at the last commit. */
  readonly #recent: RecentBuckets;
  /** Buckets released since the last commit. */
  #released: number[] = [];
  /** Names of records that go away, before others may be written under the same name. */
  #stale: Uint8Array[] = [];
  /** Nodes that lost a child, and so have to be hashed though no bucket below them changed. */
  readonly #bereft = new IntegerList();
  readonly #listed = new HashList();
  /** Grows with every change, so that a stale bucket number is recognised. */
  #batch = 0;

  constructor(read: ReadBucket, onDamage: OnDamage = () => {}, recent = new RecentBuckets()) {
    this.#read = read;
    this.#onDamage = onDamage;
    this.#recent = recent;
  }

  /** Hash, sum and count of the whole tree, as of the last `settle`. */
  get root(): Uint8Array {
    return new Uint8Array(this.tables.rootSubtree.slice().buffer);
  }

  /** The records that changing these keys will read, for fetching them ahead. */
  bucketsAhead(keys: Iterable<Uint8Array>, change: LeavesAhead): BucketsAhead {
    const buckets = new Set<number>();
    for (const key of keys) {
      const bucket = this.tables.find(key);
      if (bucket === undefined) continue;
      if (!this.#isAtHand(bucket)) buckets.add(bucket);
      const sibling = change === 'removed' ? this.#mergedOnLoss(bucket) : undefined;
      if (sibling !== undefined && !this.#isAtHand(sibling)) buckets.add(sibling);
    }
    const list = [...buckets];
    const batch = this.#batch;
    return {
      names: list.map((bucket) => this.tables.buckets.name(bucket)),
      offer: (index, record) => {
        const bucket = list[index] as number;
        if (batch === this.#batch && !this.#open.has(bucket)) {
          this.#open.set(bucket, this.#expectStored(bucket, record));
        }
      },
    };
  }

  /** Whether a bucket needs no read: it is open, or was opened now. */
  #isAtHand(bucket: number): boolean {
    return this.#open.has(bucket) || this.#openRecent(bucket) !== undefined;
  }

  #openRecent(bucket: number): Uint8Array | undefined {
    const recent = this.#recent.get(bucket);
    if (recent === undefined || !this.#isStored(bucket, recent)) return undefined;
    this.#open.set(bucket, recent);
    return recent;
  }

  /** The current record of a bucket, changes included. */
  record(bucket: number): Uint8Array {
    const open = this.#open.get(bucket) ?? this.#openRecent(bucket);
    if (open !== undefined) return open;
    const record = this.#read(this.tables.buckets.name(bucket));
    const stored = this.#expectStored(bucket, record);
    this.#open.set(bucket, stored);
    return stored;
  }

  /** Refuses a record that is not the bucket which the tree was hashed with: one that changed or is missing, or an older one. */
  #expectStored(bucket: number, record: Uint8Array | undefined): Uint8Array {
    if (record !== undefined && this.#isStored(bucket, record)) return record;
    const what = record === undefined ? 'is missing' : 'is not what the state was hashed with';
    const damage = new StoreDamagedError(
      `a record of buckets ${what}: the disk or the memory of this machine is failing; ` +
        'run `svcd repair`, restore a backup, import a snapshot or sync anew',
    );
    this.#onDamage(damage);
    throw damage;
  }

  #isStored(bucket: number, record: Uint8Array): boolean {
    const { words, at } = this.tables.subtreeOf(this.tables.buckets.parent(bucket), ~bucket);
    return isSoundBucket(record) && hasSubtree(record, words, at);
  }

  /** Puts a leaf `key | subtree`, in place of one with the same key. */
  put(leaf: Uint8Array): void {
    const { buckets } = this.tables;
    const bucket = this.tables.find(leaf);
    if (bucket === undefined) {
      this.tables.root = ~this.#newBucket(bucketOf(leaf), NO_NODE);
      return;
    }
    const bits = buckets.bits(bucket);
    const parting = firstDifference(leaf, buckets.prefixes, bits, 0, buckets.prefixAt(bucket));
    if (parting < bits) this.#branch(leaf, bucket, parting);
    else this.#putInto(bucket, leaf);
  }

  remove(key: Uint8Array): void {
    const bucket = this.tables.find(key);
    if (bucket === undefined) throw new TreeInconsistent('a key to be removed is not in the tree');
    const record = this.record(bucket);
    const index = findLeaf(record, key);
    if (index < 0) throw new TreeInconsistent('a key to be removed is not in the tree');
    if (leafCount(record) === 1) this.#drop(bucket);
    else {
      this.#rewrite(bucket, withoutLeaf(record, index));
      this.#mergeWithSibling(bucket);
    }
  }

  /** Hashes what changed and returns the root's subtree. */
  settle(): Uint8Array {
    this.#hashDirtyBuckets();
    this.#listed.clear();
    for (const bucket of this.#dirty) this.#listUpwards(this.tables.buckets.parent(bucket));
    for (let i = 0; i < this.#bereft.length; i++) {
      const node = this.#bereft.items[i] as number;
      if (!this.tables.nodes.isReleased(node)) this.#listUpwards(node);
    }
    hashUpwards(this.tables, this.#listed);
    if (this.tables.root === undefined) this.tables.rootSubtree.fill(0);
    return this.root;
  }

  #hashDirtyBuckets(): void {
    const buckets = [...this.#dirty];
    const records = buckets.map((bucket) => this.record(bucket));
    const leaves = records.map((record) => leavesOf(record));
    hashBuckets(leaves, (first, count, words, at) => {
      const bytes = new Uint8Array(words.buffer);
      for (let i = 0; i < count; i++) {
        const bucket = buckets[first + i] as number;
        const word = at + i * SUBTREE_WORDS;
        const record = records[first + i] as Uint8Array;
        sealBucket(record, bytes.subarray(4 * word, 4 * word + SUBTREE_BYTES));
        this.tables.storeSubtree(this.tables.buckets.parent(bucket), ~bucket, words, word);
      }
    });
  }

  #listUpwards(start: number): void {
    const { nodes } = this.tables;
    for (let at = start; at !== NO_NODE && nodes.list(at); ) {
      const parent = nodes.parent(at);
      this.#listed.push(at, nodes.bit(at), this.tables.slotOf(parent, at));
      at = parent;
    }
  }

  /** The record writes that make the store equal to the tree; deletions come first. */
  writes(): BucketWrite[] {
    const writes: BucketWrite[] = this.#stale.map((name) => ({ name, record: undefined }));
    for (const bucket of this.#dirty) {
      writes.push({ name: this.tables.buckets.name(bucket), record: this.record(bucket) });
    }
    return writes;
  }

  commit(): void {
    for (const bucket of this.#released) this.#recent.delete(bucket);
    for (const bucket of this.#dirty) this.#recent.set(bucket, this.record(bucket));
    this.tables.commit();
    this.#forgetBatch();
  }

  /** See `TreeTables`. */
  rollback(undone?: ChangeWords): void {
    this.tables.rollback(undone);
    this.#forgetBatch();
  }

  #forgetBatch(): void {
    this.#batch++;
    this.#open.clear();
    this.#dirty.clear();
    this.#stale = [];
    this.#released = [];
    this.#bereft.clear();
  }

  #rewrite(bucket: number, record: Uint8Array): void {
    this.#batch++;
    this.#open.set(bucket, record);
    this.#dirty.add(bucket);
    this.tables.buckets.setLeaves(bucket, leafCount(record));
  }

  #newBucket(record: Uint8Array, parent: number): number {
    const bucket = this.tables.buckets.allocate();
    this.#hang(bucket, record, parent);
    return bucket;
  }

  /** Gives a bucket its record, place and prefix. */
  #hang(bucket: number, record: Uint8Array, parent: number): void {
    const { nodes, buckets } = this.tables;
    const bits = parent === NO_NODE ? 0 : nodes.bit(parent) + 1;
    buckets.hang(bucket, parent, record, leafAt(0), bits);
    this.#rewrite(bucket, record);
  }

  #unhang(bucket: number): void {
    this.#stale.push(this.tables.buckets.name(bucket));
  }

  #release(bucket: number): void {
    this.#unhang(bucket);
    this.#open.delete(bucket);
    this.#dirty.delete(bucket);
    this.#released.push(bucket);
    this.tables.buckets.release(bucket);
  }

  #putInto(bucket: number, leaf: Uint8Array): void {
    const record = this.record(bucket);
    const index = findLeaf(record, leaf);
    if (index >= 0) {
      this.#rewrite(bucket, withLeaf(withoutLeaf(record, index), index, leaf));
      return;
    }
    const grown = withLeaf(record, -1 - index, leaf);
    if (leafCount(grown) > BUCKET_LEAVES_MAX) this.#split(bucket, grown);
    else this.#rewrite(bucket, grown);
  }

  /** A key that leaves the tree's path at a bit no node tests: a node for it is inserted. */
  #branch(leaf: Uint8Array, bucket: number, bit: number): void {
    const { tables } = this;
    const { nodes } = tables;
    let below = tables.buckets.parent(bucket);
    let above = nodes.parent(below);
    while (above !== NO_NODE && nodes.bit(above) > bit) {
      below = above;
      above = nodes.parent(below);
    }
    const node = nodes.allocate(bit, above);
    const right = bitAt(leaf, bit) === 1;
    const { words, at } = tables.subtreeOf(above, below);
    const subtree = words.slice(at, at + SUBTREE_WORDS);
    tables.replaceChild(above, below, node);
    nodes.touch(below);
    nodes.setParent(below, node);
    const fresh = this.#newBucket(bucketOf(leaf), node);
    nodes.setLeft(node, right ? below : ~fresh);
    nodes.setRight(node, right ? ~fresh : below);
    tables.storeSubtree(node, below, subtree, 0);
  }

  #split(bucket: number, record: Uint8Array): void {
    const { tables } = this;
    const count = leafCount(record);
    const parent = tables.buckets.parent(bucket);
    const { bit, middle } = partingOf(record, 0, count);
    const node = tables.nodes.allocate(bit, parent);
    tables.replaceChild(parent, ~bucket, node);
    this.#unhang(bucket);
    this.#hang(bucket, bucketOf(leavesOf(record, 0, middle)), node);
    const right = this.#newBucket(bucketOf(leavesOf(record, middle)), node);
    tables.nodes.setLeft(node, ~bucket);
    tables.nodes.setRight(node, ~right);
  }

  /** Takes an emptied bucket out; its sibling moves up. */
  #drop(bucket: number): void {
    const { tables } = this;
    const { nodes } = tables;
    const parent = tables.buckets.parent(bucket);
    this.#release(bucket);
    if (parent === NO_NODE) {
      tables.root = undefined;
      return;
    }
    const sibling = this.#siblingOf(parent, ~bucket);
    const above = nodes.parent(parent);
    const { words, at } = tables.subtreeOf(parent, sibling);
    const subtree = words.slice(at, at + SUBTREE_WORDS);
    tables.replaceChild(above, parent, sibling);
    nodes.release(parent);
    if (above !== NO_NODE) this.#bereft.push(above);
    tables.storeSubtree(above, sibling, subtree, 0);
    if (sibling >= 0) {
      nodes.touch(sibling);
      nodes.setParent(sibling, above);
      return;
    }
    const record = this.record(~sibling);
    this.#unhang(~sibling);
    this.#hang(~sibling, bucketOf(leavesOf(record)), above);
  }

  /**
   * A node over no more leaves than a bucket holds becomes one. That happens only to a bucket that has
   * just lost a leaf, and only right above it: everything higher had more leaves to lose.
   */
  #mergeWithSibling(bucket: number): void {
    const { tables } = this;
    const { nodes, buckets } = tables;
    const node = buckets.parent(bucket);
    if (node === NO_NODE) return;
    const sibling = this.#siblingOf(node, ~bucket);
    if (sibling >= 0 || buckets.leaves(bucket) + buckets.leaves(~sibling) > BUCKET_LEAVES_MAX)
      return;
    const isLeft = nodes.left(node) === ~bucket;
    const [left, right] = isLeft ? [bucket, ~sibling] : [~sibling, bucket];
    const merged = bucketOf(leavesOf(this.record(left)), leavesOf(this.record(right)));
    const parent = nodes.parent(node);
    this.#unhang(left);
    this.#release(right);
    tables.replaceChild(parent, node, ~left);
    nodes.release(node);
    this.#hang(left, merged, parent);
  }

  /** The sibling bucket that this bucket would merge with if it lost a leaf, if any. */
  #mergedOnLoss(bucket: number): number | undefined {
    const { buckets } = this.tables;
    const parent = buckets.parent(bucket);
    const sibling = parent === NO_NODE ? NO_NODE : this.#siblingOf(parent, ~bucket);
    if (parent === NO_NODE || sibling >= 0) return undefined;
    const left = buckets.leaves(bucket) - 1;
    return left + buckets.leaves(~sibling) <= BUCKET_LEAVES_MAX ? ~sibling : undefined;
  }

  #siblingOf(parent: number, child: number): number {
    const { nodes } = this.tables;
    return nodes.left(parent) === child ? nodes.right(parent) : nodes.left(parent);
  }
}
