/**
 * Builds a tree's tables from its stored buckets, in the order of their names, at start. Every inner node
 * is hashed again, so the root that comes out vouches for all buckets' subtrees. A bucket's name follows from
 * its neighbours; one that is stored under another name is out of order, or missed when it is read.
 */
import {
  BUCKET_LEAVES_MAX,
  expectSoundBucket,
  leafAt,
  leafCount,
  SUBTREE_BYTES,
} from './bucket.ts';
import { TreeInconsistent } from './bucket-tree.ts';
import { IntegerList } from './growing.ts';
import { HashList, hashUpwards } from './hash-upwards.ts';
import { bitAt, firstDifference, KEY_BITS, KEY_BYTES } from './key-bits.ts';
import { NO_NODE, SUBTREE_WORDS } from './node-table.ts';
import type { TreeTables } from './tree-tables.ts';

/** Leaves of a bucket on average, a little less than ln 2 of the most. */
const LEAVES_EXPECTED = 0.675 * BUCKET_LEAVES_MAX;

export class TreeLoader {
  readonly #tables: TreeTables;
  /** Nodes from the root down to the newest bucket, always by way of the right child. */
  readonly #spine = new IntegerList();
  #bucket = NO_NODE;
  readonly #key = new Uint8Array(KEY_BYTES);
  readonly #subtree = new Uint32Array(SUBTREE_WORDS);
  readonly #subtreeBytes = new Uint8Array(this.#subtree.buffer);
  /** The bit that parts the newest bucket from the one before it. */
  #partingBefore = -1;

  constructor(tables: TreeTables, leavesExpected: number) {
    this.#tables = tables;
    tables.nodes.reserve(Math.ceil(leavesExpected / LEAVES_EXPECTED));
    tables.buckets.reserve(Math.ceil(leavesExpected / LEAVES_EXPECTED));
  }

  push(record: Uint8Array): void {
    expectSoundBucket(record);
    const { nodes, buckets } = this.#tables;
    const bucket = buckets.allocate();
    if (this.#bucket === NO_NODE) this.#tables.root = ~bucket;
    else {
      const parting = firstDifference(this.#key, record, KEY_BITS, 0, leafAt(0));
      if (parting === KEY_BITS || bitAt(this.#key, parting) === 1) {
        throw new TreeInconsistent('a bucket is stored under a name that is not its prefix');
      }
      let left = ~this.#bucket;
      let above = this.#spineTop();
      const parentBefore = above;
      while (above !== NO_NODE && nodes.bit(above) > parting) {
        left = this.#spine.pop() as number;
        above = this.#spineTop();
      }
      const node = nodes.allocate(parting, above);
      nodes.setLeft(node, left);
      nodes.setRight(node, ~bucket);
      if (left >= 0) nodes.setParent(left, node);
      if (above === NO_NODE) this.#tables.root = node;
      else nodes.setRight(above, node);
      this.#hangNewest(parting, left < 0 ? node : parentBefore);
      this.#spine.push(node);
      this.#partingBefore = parting;
    }
    this.#bucket = bucket;
    for (let i = 0; i < KEY_BYTES; i++) this.#key[i] = record[leafAt(0) + i] as number;
    for (let i = 0; i < SUBTREE_BYTES; i++) this.#subtreeBytes[i] = record[i] as number;
    buckets.setLeaves(bucket, leafCount(record));
  }

  /** Hashes the inner nodes, which completes the tree in the tables. */
  finish(): void {
    if (this.#bucket !== NO_NODE) this.#hangNewest(-1, this.#spineTop());
    const list = new HashList();
    const { nodes } = this.#tables;
    for (let node = 0; node < nodes.length; node++)
      list.push(node, nodes.bit(node), this.#tables.slotOf(nodes.parent(node), node));
    hashUpwards(this.#tables, list);
    this.#tables.commit();
  }

  #spineTop(): number {
    return this.#spine.length === 0
      ? NO_NODE
      : (this.#spine.items[this.#spine.length - 1] as number);
  }

  /** The newest bucket hangs under the deeper of the two nodes that part it from its neighbours. */
  #hangNewest(partingAfter: number, parent: number): void {
    const { buckets } = this.#tables;
    const bucket = this.#bucket;
    const bits = Math.max(this.#partingBefore, partingAfter) + 1;
    buckets.hang(bucket, parent, this.#key, 0, bits);
    this.#tables.storeSubtree(parent, ~bucket, this.#subtree, 0);
  }
}
