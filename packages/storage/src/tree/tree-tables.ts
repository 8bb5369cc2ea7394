/**
 * The structure of one tree in memory: nodes, buckets and the root, and how they hang together. It knows
 * nothing of records.
 */
import { BucketTable } from './bucket-table.ts';
import type { ChangeWords } from './change-words.ts';
import type { TableArray } from './growing.ts';
import { bitAt } from './key-bits.ts';
import { NO_NODE, NodeTable, SUBTREE_WORDS } from './node-table.ts';

/** Words of a tree beside its rows: how many nodes and buckets there are, whether there is a root, the root and its subtree. */
export const SHAPE_WORDS: number = 4 + SUBTREE_WORDS;
/** Room that tables get which are read from a file, so that the next cuts need not move them: a sixteenth. */
const HEADROOM_SHIFT = 4;
/** The slot of the root's subtree, which no node keeps. */
const ROOT_SLOT = -1;

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
    return this.subtreeIn(this.slotOf(parent, child));
  }

  /** The first `words[at]` of the subtree in a slot. */
  subtreeIn(slot: number): { words: Uint32Array; at: number } {
    if (slot === ROOT_SLOT) return { words: this.rootSubtree, at: 0 };
    return { words: this.nodes.pairs, at: slot * SUBTREE_WORDS };
  }

  /** The slot in which a parent keeps the subtree of its child, or `ROOT_SLOT`. */
  slotOf(parent: number, child: number): number {
    return parent === NO_NODE ? ROOT_SLOT : this.nodes.slotOf(parent, child);
  }

  /** Copies a subtree of 16 words to where the parent keeps it. */
  storeSubtree(parent: number, child: number, words: Uint32Array, from: number): void {
    if (parent !== NO_NODE) this.nodes.touch(parent);
    this.storeAt(this.slotOf(parent, child), words, from);
  }

  /** Copies a subtree to a slot whose node was touched. */
  storeAt(slot: number, words: Uint32Array, from: number): void {
    if (slot !== ROOT_SLOT) this.nodes.setSubtree(slot, words, from);
    else for (let i = 0; i < SUBTREE_WORDS; i++) this.rootSubtree[i] = words[from + i] as number;
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

  /** Adds everything but the rows. */
  packShape(to: ChangeWords): void {
    to.reserve(SHAPE_WORDS);
    to.push(this.nodes.length);
    to.push(this.buckets.length);
    to.push(this.root === undefined ? 0 : 1);
    to.push(this.root ?? 0);
    for (const word of this.rootSubtree) to.push(word);
  }

  /** Adds the tree as the batch has made it, which must be settled or undone. */
  pack(to: ChangeWords, isUndone = false): void {
    this.packShape(to);
    this.nodes.pack(to);
    this.buckets.pack(to, isUndone);
  }

  /** Applies what `packShape` added; the rows of it are still to be filled. */
  unpackShape(words: Uint32Array, at: number): void {
    this.nodes.resize(words[at] as number);
    this.buckets.resize(words[at + 1] as number);
    const hasRoot = words[at + 2] === 1;
    this.root = hasRoot ? (words[at + 3] as number) | 0 : undefined;
    this.rootSubtree.set(words.subarray(at + 4, at + SHAPE_WORDS));
  }

  /** Applies what `pack` added; returns where the words after it begin. */
  unpack(words: Uint32Array, at: number): number {
    this.unpackShape(words, at);
    return this.buckets.unpack(words, this.nodes.unpack(words, at + SHAPE_WORDS));
  }

  /** Makes room in empty tables for rows as a shape tells of them, and for some more. */
  reserve(words: Uint32Array, at: number): void {
    const [nodes, buckets] = [words[at] as number, words[at + 1] as number];
    this.nodes.reserve(nodes + (nodes >> HEADROOM_SHIFT));
    this.buckets.reserve(buckets + (buckets >> HEADROOM_SHIFT));
  }

  /** The rows that a shape tells of, for a file; valid until the next change. */
  arrays(words: Uint32Array, at: number): TableArray[] {
    return [
      ...this.nodes.arrays(words[at] as number),
      ...this.buckets.arrays(words[at + 1] as number),
    ];
  }

  /** Everything was applied. */
  filled(): void {
    this.nodes.filled();
    this.buckets.filled();
    this.commit();
  }

  commit(): void {
    this.nodes.commit();
    this.buckets.commit();
    this.#rootBefore = this.root;
    this.#subtreeBefore.set(this.rootSubtree);
  }

  /** Adds to `undone` what is as before again. */
  rollback(undone?: ChangeWords): void {
    this.nodes.undo();
    this.buckets.undo();
    this.root = this.#rootBefore;
    this.rootSubtree.set(this.#subtreeBefore);
    if (undone !== undefined) this.pack(undone, true);
    this.nodes.forget();
    this.buckets.forget();
  }
}
