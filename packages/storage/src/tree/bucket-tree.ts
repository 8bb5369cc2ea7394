/**
 * A state tree of `docs/protocol.md` 9 that keeps its leaves in stored buckets and everything above
 * them in memory. A bucket is a largest subtree of at most `BUCKET_LEAVES_MAX` leaves, so the split into
 * buckets depends on the set of keys alone, never on the order in which it came to be.
 *
 * `change` works on the structure and on the records of the buckets it meets; `settle` then hashes
 * what changed, bottom up; `commit` keeps it, `rollback` forgets it. Writes are the caller's.
 */

import { hashBuckets, hashNodes } from 'svc-wasm/internal';
import type { Leaf } from './bucket.ts';
import { BUCKET_LEAVES_MAX, findLeaf, packBucket, packLeaf, unpackBucket } from './bucket.ts';
import { BucketTable } from './bucket-table.ts';
import { bitAt, firstDifference, KEY_BITS } from './key-bits.ts';
import { NO_NODE, NodeTable, SUBTREE_BYTES } from './node-table.ts';

/** Reads the record stored under a prefix; `undefined` if there is none. */
export type ReadRecord = (prefix: Uint8Array) => Uint8Array | undefined;

export interface RecordWrite {
  readonly prefix: Uint8Array;
  /** Absent: the record goes. */
  readonly record: Uint8Array | undefined;
}

export class TreeInconsistent extends Error {
  override readonly name = 'TreeInconsistent';
}

export class BucketTree {
  readonly #tree: number;
  readonly #read: ReadRecord;
  readonly #nodes = new NodeTable();
  readonly #buckets = new BucketTable();
  #root: number | undefined;
  #rootSubtree: Uint8Array = new Uint8Array(SUBTREE_BYTES);
  #before: { root: number | undefined; subtree: Uint8Array };
  /** Buckets met since the last commit, with their leaves. */
  readonly #open = new Map<number, Uint8Array[]>();
  readonly #dirty = new Set<number>();
  readonly #stale = new Map<string, Uint8Array>();

  constructor(tree: number, read: ReadRecord) {
    this.#tree = tree;
    this.#read = read;
    this.#before = { root: undefined, subtree: this.#rootSubtree.slice() };
  }

  /** Hash, sum and count of the whole tree, as of the last `settle`. */
  get root(): Uint8Array {
    return this.#rootSubtree;
  }

  get memoryBytes(): number {
    return this.#nodes.bytes + this.#buckets.bytes;
  }

  /** The prefixes of the records that changing these keys will read, for fetching them ahead. */
  prefixesFor(keys: Iterable<Uint8Array>): Uint8Array[] {
    const buckets = new Set<number>();
    for (const key of keys) {
      const bucket = this.#find(key);
      if (bucket !== undefined && !this.#open.has(bucket)) buckets.add(bucket);
    }
    return [...buckets].map((bucket) => this.#buckets.prefixOf(bucket).slice());
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const bucket = this.#find(key);
    if (bucket === undefined) return undefined;
    const leaves = this.#leaves(bucket);
    return leaves[findLeaf(leaves, key)];
  }

  put(leaf: Leaf): void {
    const bucket = this.#find(leaf.key);
    if (bucket === undefined) {
      this.#root = ~this.#newBucket([packLeaf(leaf)], NO_NODE);
      return;
    }
    const bits = this.#prefixBits(bucket);
    const difference = firstDifference(leaf.key, this.#buckets.prefixOf(bucket), bits);
    if (difference < bits) this.#branch(leaf, bucket, difference);
    else this.#putInto(bucket, leaf);
  }

  remove(key: Uint8Array): void {
    const bucket = this.#find(key);
    const leaves = bucket === undefined ? [] : this.#leaves(bucket);
    const at = findLeaf(leaves, key);
    if (bucket === undefined || at < 0)
      throw new TreeInconsistent('a key to be removed is not in the tree');
    leaves.splice(at, 1);
    this.#dirty.add(bucket);
    const parent = this.#buckets.parent[bucket] as number;
    this.#countUp(parent, -1);
    const above = leaves.length === 0 ? this.#drop(bucket, parent) : parent;
    if (above !== NO_NODE && (this.#nodes.count[above] as number) <= BUCKET_LEAVES_MAX)
      this.#merge(above);
  }

  /** Hashes what changed and returns the root's subtree. */
  settle(): Uint8Array {
    this.#hashDirtyBuckets();
    this.#hashDirtyNodes();
    if (this.#root === undefined) this.#rootSubtree = new Uint8Array(SUBTREE_BYTES);
    return this.#rootSubtree;
  }

  #hashDirtyBuckets(): void {
    const buckets = [...this.#dirty];
    const records = buckets.map((bucket) => packBucket(this.#open.get(bucket) as Uint8Array[]));
    hashBuckets(this.#tree, records, (index, memory, offset) => {
      const bucket = buckets[index] as number;
      this.#storeSubtree(this.#buckets.parent[bucket] as number, ~bucket, memory, offset);
    });
  }

  /** Nodes of one bit never lie above each other, so each bit is one run, the deepest first. */
  #hashDirtyNodes(): void {
    const runs = new Map<number, number[]>();
    for (const node of this.#dirtyNodes()) {
      const bit = this.#nodes.bit[node] as number;
      const run = runs.get(bit);
      if (run === undefined) runs.set(bit, [node]);
      else run.push(node);
    }
    for (const bit of [...runs.keys()].sort((a, b) => b - a)) {
      const run = runs.get(bit) as number[];
      const nodes = {
        count: run.length,
        memory: this.#nodes.subtrees,
        bit: () => bit,
        offset: (index: number) => this.#nodes.subtreeAt(run[index] as number, 0),
      };
      hashNodes(nodes, (index, memory, offset) => {
        const node = run[index] as number;
        this.#storeSubtree(this.#nodes.parent[node] as number, node, memory, offset);
      });
    }
  }

  #dirtyNodes(): Set<number> {
    const nodes = new Set<number>();
    const addWithAncestors = (start: number): void => {
      for (
        let at = start;
        at !== NO_NODE && !nodes.has(at);
        at = this.#nodes.parent[at] as number
      ) {
        this.#nodes.touch(at);
        nodes.add(at);
      }
    };
    for (const bucket of this.#dirty) addWithAncestors(this.#buckets.parent[bucket] as number);
    for (const node of this.#nodes.changed()) addWithAncestors(node);
    return nodes;
  }

  #storeSubtree(parent: number, child: number, memory: Uint8Array, offset: number): void {
    const subtree = memory.subarray(offset, offset + SUBTREE_BYTES);
    const target = this.#subtreeOf(parent, child);
    if (target === undefined) this.#rootSubtree = subtree.slice();
    else target.set(subtree);
  }

  /** The record writes that make the store equal to the tree; deletions come first. */
  writes(): RecordWrite[] {
    const writes: RecordWrite[] = [...this.#stale.values()].map((prefix) => ({
      prefix,
      record: undefined,
    }));
    for (const bucket of this.#dirty) {
      const leaves = this.#open.get(bucket) as Uint8Array[];
      writes.push({ prefix: this.#buckets.prefixOf(bucket).slice(), record: packBucket(leaves) });
    }
    return writes;
  }

  commit(): void {
    this.#nodes.commit();
    this.#buckets.commit();
    this.#forgetBatch();
    this.#before = { root: this.#root, subtree: this.#rootSubtree.slice() };
  }

  rollback(): void {
    this.#nodes.rollback();
    this.#buckets.rollback();
    this.#forgetBatch();
    this.#root = this.#before.root;
    this.#rootSubtree = this.#before.subtree.slice();
  }

  #forgetBatch(): void {
    this.#open.clear();
    this.#dirty.clear();
    this.#stale.clear();
  }

  /** The bucket that a search for the key ends at. */
  #find(key: Uint8Array): number | undefined {
    if (this.#root === undefined) return undefined;
    const { bit, left, right } = this.#nodes;
    let reference = this.#root;
    while (reference >= 0) {
      reference = (
        bitAt(key, bit[reference] as number) === 0 ? left[reference] : right[reference]
      ) as number;
    }
    return ~reference;
  }

  #leaves(bucket: number): Uint8Array[] {
    const open = this.#open.get(bucket);
    if (open !== undefined) return open;
    const prefix = this.#buckets.prefixOf(bucket);
    const record = this.#read(prefix);
    if (record === undefined)
      throw new TreeInconsistent('a bucket of the tree is not in the store');
    const leaves = unpackBucket(record);
    this.#open.set(bucket, leaves);
    return leaves;
  }

  #prefixBits(bucket: number): number {
    const parent = this.#buckets.parent[bucket] as number;
    return parent === NO_NODE ? 0 : (this.#nodes.bit[parent] as number) + 1;
  }

  #newBucket(leaves: Uint8Array[], parent: number): number {
    const bucket = this.#buckets.allocate();
    this.#open.set(bucket, leaves);
    this.#hang(bucket, parent);
    return bucket;
  }

  /** Gives a bucket its place and prefix; it will be written anew. */
  #hang(bucket: number, parent: number): void {
    const bits = parent === NO_NODE ? 0 : (this.#nodes.bit[parent] as number) + 1;
    const [first] = this.#leaves(bucket);
    this.#buckets.hang(bucket, parent, first as Uint8Array, bits);
    this.#dirty.add(bucket);
  }

  /** Remembers that the record under a bucket's present prefix goes away. */
  #unhang(bucket: number): void {
    const prefix = this.#buckets.prefixOf(bucket).slice();
    this.#stale.set(String.fromCharCode(...prefix), prefix);
  }

  #putInto(bucket: number, leaf: Leaf): void {
    const leaves = this.#leaves(bucket);
    const at = findLeaf(leaves, leaf.key);
    this.#dirty.add(bucket);
    if (at >= 0) {
      leaves[at] = packLeaf(leaf);
      return;
    }
    leaves.splice(-1 - at, 0, packLeaf(leaf));
    this.#countUp(this.#buckets.parent[bucket] as number, 1);
    if (leaves.length > BUCKET_LEAVES_MAX) this.#split(bucket);
  }

  /** A key that leaves the tree's path at a bit no node tests: a node for it goes in between. */
  #branch(leaf: Leaf, bucket: number, bit: number): void {
    let below = this.#buckets.parent[bucket] as number;
    let above = this.#nodes.parent[below] as number;
    while (above !== NO_NODE && (this.#nodes.bit[above] as number) > bit) {
      below = above;
      above = this.#nodes.parent[below] as number;
    }
    const count = (this.#nodes.count[below] as number) + 1;
    const node = this.#nodes.allocate(bit, above, count);
    this.#replaceChild(above, below, node);
    this.#nodes.touch(below);
    this.#nodes.parent[below] = node;
    this.#countUp(above, 1);
    const fresh = this.#newBucket([packLeaf(leaf)], node);
    const right = bitAt(leaf.key, bit) === 1;
    this.#nodes.left[node] = right ? below : ~fresh;
    this.#nodes.right[node] = right ? ~fresh : below;
    const source = this.#subtreeOf(above, node) ?? this.#rootSubtree;
    this.#nodes.subtrees.set(source, this.#nodes.subtreeAt(node, right ? 0 : 1));
  }

  /** Where a child's subtree lies; `undefined` for the root. */
  #subtreeOf(parent: number, child: number): Uint8Array | undefined {
    if (parent === NO_NODE) return undefined;
    const at = this.#nodes.subtreeAt(parent, this.#nodes.left[parent] === child ? 0 : 1);
    return this.#nodes.subtrees.subarray(at, at + SUBTREE_BYTES);
  }

  #split(bucket: number): void {
    const leaves = this.#leaves(bucket);
    const parent = this.#buckets.parent[bucket] as number;
    const bit = firstDifference(leaves[0] as Uint8Array, leaves.at(-1) as Uint8Array, KEY_BITS);
    const cut = leaves.findIndex((leaf) => bitAt(leaf, bit) === 1);
    const node = this.#nodes.allocate(bit, parent, leaves.length);
    this.#replaceChild(parent, ~bucket, node);
    this.#unhang(bucket);
    const right = this.#newBucket(leaves.splice(cut), node);
    this.#hang(bucket, node);
    this.#nodes.left[node] = ~bucket;
    this.#nodes.right[node] = ~right;
    for (const half of [bucket, right]) {
      if (this.#leaves(half).length > BUCKET_LEAVES_MAX) this.#split(half);
    }
  }

  /** Takes an empty bucket out; its sibling moves up. Returns the node now above the sibling. */
  #drop(bucket: number, parent: number): number {
    this.#unhang(bucket);
    this.#open.delete(bucket);
    this.#dirty.delete(bucket);
    this.#buckets.release(bucket);
    if (parent === NO_NODE) {
      this.#root = undefined;
      return NO_NODE;
    }
    const { left, right } = this.#nodes;
    const onLeft = left[parent] === ~bucket;
    const sibling = (onLeft ? right[parent] : left[parent]) as number;
    const above = this.#nodes.parent[parent] as number;
    const at = this.#nodes.subtreeAt(parent, onLeft ? 1 : 0);
    const subtree = this.#nodes.subtrees.slice(at, at + SUBTREE_BYTES);
    this.#replaceChild(above, parent, sibling);
    this.#nodes.release(parent);
    this.#moveUnder(sibling, above, subtree);
    return above;
  }

  #moveUnder(child: number, parent: number, subtree: Uint8Array): void {
    const target = this.#subtreeOf(parent, child);
    if (target === undefined) this.#rootSubtree = subtree;
    else target.set(subtree);
    if (child >= 0) {
      this.#nodes.touch(child);
      this.#nodes.parent[child] = parent;
      return;
    }
    this.#leaves(~child);
    this.#unhang(~child);
    this.#hang(~child, parent);
  }

  /** Joins a node's two buckets into one, in the node's place. */
  #merge(node: number): void {
    const left = ~(this.#nodes.left[node] as number);
    const right = ~(this.#nodes.right[node] as number);
    const parent = this.#nodes.parent[node] as number;
    const leaves = this.#leaves(left);
    leaves.push(...this.#leaves(right));
    this.#unhang(left);
    this.#unhang(right);
    this.#open.delete(right);
    this.#dirty.delete(right);
    this.#buckets.release(right);
    this.#replaceChild(parent, node, ~left);
    this.#nodes.release(node);
    this.#hang(left, parent);
  }

  #replaceChild(parent: number, child: number, replacement: number): void {
    if (parent === NO_NODE) {
      this.#root = replacement;
      return;
    }
    this.#nodes.touch(parent);
    if (this.#nodes.left[parent] === child) this.#nodes.left[parent] = replacement;
    else this.#nodes.right[parent] = replacement;
  }

  #countUp(node: number, by: number): void {
    for (let at = node; at !== NO_NODE; at = this.#nodes.parent[at] as number) {
      this.#nodes.touch(at);
      this.#nodes.count[at] = (this.#nodes.count[at] as number) + by;
    }
  }
}
