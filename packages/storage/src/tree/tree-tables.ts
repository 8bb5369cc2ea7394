/**
 * The structure of one tree in memory: nodes, buckets and the root, and how they hang together. It knows
 * nothing of records.
 */
import { BucketTable } from './bucket-table.ts';
import type { NextSaved, SavedArray } from './growing.ts';
import { bitAt } from './key-bits.ts';
import { NO_NODE, NodeTable, SUBTREE_WORDS } from './node-table.ts';

export class TreeTables {
  readonly nodes: NodeTable = new NodeTable();
  readonly buckets: BucketTable = new BucketTable();
  /** A reference as in `NodeTable`, or undefined in an empty tree. */
  root: number | undefined;
  /** Hash, sum and count of the whole tree. */
  readonly rootSubtree: Uint32Array = new Uint32Array(SUBTREE_WORDS);
  #rootBefore: number | undefined;
  readonly #subtreeBefore: Uint32Array = new Uint32Array(SUBTREE_WORDS);

  get bytes(): number {
    return this.nodes.bytes + this.buckets.bytes;
  }

  /** The bucket that a search for the key ends at. */
  find(key: Uint8Array): number | undefined {
    if (this.root === undefined) return undefined;
    let reference = this.root;
    while (reference >= 0) reference = this.childTowards(reference, key);
    return ~reference;
  }

  childTowards(node: number, key: Uint8Array): number {
    const { nodes } = this;
    return bitAt(key, nodes.bit(node)) === 0 ? nodes.left(node) : nodes.right(node);
  }

  parentOf(reference: number): number {
    return reference >= 0 ? this.nodes.parent(reference) : this.buckets.parent(~reference);
  }

  /** The first `words[at]` of the subtree that a parent keeps of its child. */
  subtreeOf(parent: number, child: number): { words: Uint32Array; at: number } {
    if (parent === NO_NODE) return { words: this.rootSubtree, at: 0 };
    return { words: this.nodes.pairs, at: this.#slotOf(parent, child) };
  }

  #slotOf(parent: number, child: number): number {
    return this.nodes.subtreeAt(parent, this.nodes.left(parent) === child ? 0 : 1);
  }

  /** Copies a subtree of 16 words to where the parent keeps it. */
  storeSubtree(parent: number, child: number, words: Uint32Array, from: number): void {
    let target = this.rootSubtree;
    let to = 0;
    if (parent !== NO_NODE) {
      this.nodes.touch(parent);
      target = this.nodes.pairs;
      to = this.#slotOf(parent, child);
    }
    for (let i = 0; i < SUBTREE_WORDS; i++) target[to + i] = words[from + i] as number;
  }

  replaceChild(parent: number, child: number, replacement: number): void {
    if (parent === NO_NODE) {
      this.root = replacement;
      return;
    }
    this.nodes.touch(parent);
    if (this.nodes.left(parent) === child) this.nodes.setLeft(parent, replacement);
    else this.nodes.setRight(parent, replacement);
  }

  /** The committed tables as arrays; valid until the next change. */
  saved(): SavedArray[] {
    const root = this.root === undefined ? new Int32Array(0) : Int32Array.of(this.root);
    return [root, this.rootSubtree, ...this.nodes.saved(), ...this.buckets.saved()];
  }

  /** Takes over what `saved` gave; the tables must be empty. */
  restore(next: NextSaved): void {
    [this.root] = new Int32Array(next().buffer);
    this.rootSubtree.set(new Uint32Array(next().buffer));
    this.nodes.restore(next);
    this.buckets.restore(next);
    this.commit();
  }

  commit(): void {
    this.nodes.commit();
    this.buckets.commit();
    this.#rootBefore = this.root;
    this.#subtreeBefore.set(this.rootSubtree);
  }

  rollback(): void {
    this.nodes.rollback();
    this.buckets.rollback();
    this.root = this.#rootBefore;
    this.rootSubtree.set(this.#subtreeBefore);
  }
}
