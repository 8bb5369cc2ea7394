/**
 * The inner nodes of a tree above its buckets, in flat arrays outside the JavaScript heap. A child is
 * a reference: an inner node's index when it is zero or above, `~bucket` when it is below zero.
 * Changes since the last commit can be undone, since a proposed cut may never be decided: callers
 * call `touch` before they change a node.
 */
import type { ChangeWords } from './change-words.ts';
import { grownCapacity, largerTable, RowBatch, type TableArray } from './growing.ts';

export const NO_NODE = -1;
/** Stands for the parent of a node that was released and waits for the commit. */
const RELEASED = -2;

/** Words of a node in `links`; together, because a search reads them together. */
const LINK_WORDS = 4;
const LEFT = 0;
const RIGHT = 1;
const PARENT = 2;
const BIT = 3;

export const SUBTREE_WORDS = 16;
const PAIR_WORDS = 2 * SUBTREE_WORDS;
const ROW_WORDS = LINK_WORDS + PAIR_WORDS;
export const NODE_ROW_BYTES: number = 4 * ROW_WORDS;
const NODE_BYTES = NODE_ROW_BYTES + 4;

/** Parts of a row that a change names, in the lowest bits of a word with the node's number above them. */
const LINKS = 1;
const LEFT_SUBTREE = 2;
const RIGHT_SUBTREE = 4;
const WHOLE_ROW = LINKS | LEFT_SUBTREE | RIGHT_SUBTREE;
const PART_BITS = 3;

/** A stamp says of a row that a batch has touched which parts were changed, in the same bits, and whether it is listed for hashing. */
const LISTED = 8;
const STAMPS_PER_BATCH = 16;
const LAST_BATCH = 2 ** 32 / STAMPS_PER_BATCH - 1;

export class NodeTable {
  #links: Int32Array = new Int32Array(0);
  /** Both children's subtrees of each node, one after the other. Only `setSubtree` may write here: the log has what it marks. */
  pairs: Uint32Array = new Uint32Array(0);
  /** `STAMPS_PER_BATCH * batch` when touched in this batch, and what was done then. */
  #stamps: Uint32Array = new Uint32Array(0);
  #capacity = 0;
  #length = 0;
  /** Length at the last commit. */
  #lengthBefore = 0;
  readonly #batch: RowBatch;

  /** Tests begin with a batch that barely fits into stamps. */
  constructor(firstBatch = 1) {
    this.#batch = new RowBatch(ROW_WORDS, firstBatch);
  }

  get bytes(): number {
    return this.#capacity * NODE_BYTES;
  }

  /** Numbers of nodes are below this; some of them may be released. */
  get length(): number {
    return this.#length;
  }

  left(node: number): number {
    return this.#links[node * LINK_WORDS + LEFT] as number;
  }

  right(node: number): number {
    return this.#links[node * LINK_WORDS + RIGHT] as number;
  }

  parent(node: number): number {
    return this.#links[node * LINK_WORDS + PARENT] as number;
  }

  bit(node: number): number {
    return this.#links[node * LINK_WORDS + BIT] as number;
  }

  isReleased(node: number): boolean {
    return this.parent(node) === RELEASED;
  }

  setLeft(node: number, child: number): void {
    this.#mark(node, LINKS);
    this.#links[node * LINK_WORDS + LEFT] = child;
  }

  setRight(node: number, child: number): void {
    this.#mark(node, LINKS);
    this.#links[node * LINK_WORDS + RIGHT] = child;
  }

  setParent(node: number, parent: number): void {
    this.#mark(node, LINKS);
    this.#links[node * LINK_WORDS + PARENT] = parent;
  }

  /** Which of all subtrees in `pairs` is that of a child. */
  slotOf(node: number, child: number): number {
    return 2 * node + (this.left(node) === child ? 0 : 1);
  }

  /** Where the subtree of a child is in `pairs`. */
  subtreeAt(node: number, side: number): number {
    return node * PAIR_WORDS + side * SUBTREE_WORDS;
  }

  /** Keeps 16 words as the subtree of a slot, whose node must be touched. */
  setSubtree(slot: number, words: Uint32Array, from: number): void {
    this.#mark(slot >> 1, LEFT_SUBTREE << (slot & 1));
    const { pairs } = this;
    const to = slot * SUBTREE_WORDS;
    for (let i = 0; i < SUBTREE_WORDS; i++) pairs[to + i] = words[from + i] as number;
  }

  /** Remembers until the end of the batch that parts of a row were changed. */
  #mark(node: number, parts: number): void {
    this.#stamps[node] = (this.#stamps[node] as number) | parts;
  }

  reserve(count: number): void {
    const capacity = grownCapacity(count, this.#capacity);
    if (capacity === this.#capacity) return;
    this.#links = largerTable(this.#links, new Int32Array(capacity * LINK_WORDS));
    this.pairs = largerTable(this.pairs, new Uint32Array(capacity * PAIR_WORDS));
    this.#stamps = largerTable(this.#stamps, new Uint32Array(capacity));
    this.#capacity = capacity;
  }

  allocate(bit: number, parent: number): number {
    let node = this.#batch.reuse();
    if (node === undefined) {
      node = this.#length++;
      this.reserve(this.#length);
    }
    this.#stamps[node] = STAMPS_PER_BATCH * this.#batch.number;
    this.#batch.allocated.push(node);
    this.#links[node * LINK_WORDS + PARENT] = parent;
    this.#links[node * LINK_WORDS + BIT] = bit;
    return node;
  }

  release(node: number): void {
    this.touch(node);
    this.setParent(node, RELEASED);
    this.#batch.released.push(node);
  }

  touch(node: number): void {
    const unchanged = STAMPS_PER_BATCH * this.#batch.number;
    if ((this.#stamps[node] as number) >= unchanged) return;
    this.#stamps[node] = unchanged;
    this.#batch.changed.push(node);
    let to = this.#batch.journal.append();
    const { words } = this.#batch.journal;
    const links = node * LINK_WORDS;
    for (let i = 0; i < LINK_WORDS; i++) words[to++] = this.#links[links + i] as number;
    const pair = node * PAIR_WORDS;
    for (let i = 0; i < PAIR_WORDS; i++) words[to++] = this.pairs[pair + i] as number;
  }

  /** Touches a node and says whether this is the first time that it is listed in this batch. */
  list(node: number): boolean {
    this.touch(node);
    if (((this.#stamps[node] as number) & LISTED) !== 0) return false;
    this.#mark(node, LISTED);
    return true;
  }

  commit(): void {
    this.#lengthBefore = this.#length;
    this.#batch.commit();
    this.#batch.countAnew(this.#stamps, LAST_BATCH);
  }

  /** Writes back what the journal holds; `forget` ends the batch. */
  undo(): void {
    const { words } = this.#batch.journal;
    let from = 0;
    for (let entry = 0; entry < this.#batch.changed.length; entry++) {
      const node = this.#batch.changed.items[entry] as number;
      const links = node * LINK_WORDS;
      for (let i = 0; i < LINK_WORDS; i++) this.#links[links + i] = words[from++] as number;
      const pair = node * PAIR_WORDS;
      for (let i = 0; i < PAIR_WORDS; i++) this.pairs[pair + i] = words[from++] as number;
    }
    this.#length = this.#lengthBefore;
    for (let i = 0; i < this.#batch.allocated.length; i++) {
      const node = this.#batch.allocated.items[i] as number;
      if (node < this.#length) this.setParent(node, RELEASED);
    }
  }

  forget(): void {
    this.#batch.rollback(this.#length);
    this.#batch.countAnew(this.#stamps, LAST_BATCH);
  }

  /** Adds the parts of rows that this batch has changed, as they are now. */
  pack(to: ChangeWords): void {
    const { allocated, changed } = this.#batch;
    to.reserve(1 + (allocated.length + changed.length) * (1 + ROW_WORDS));
    const countAt = to.length++;
    let count = 0;
    for (let i = 0; i < allocated.length; i++) {
      const node = allocated.items[i] as number;
      if (node >= this.#length) continue;
      this.#packRow(to, node, WHOLE_ROW);
      count++;
    }
    for (let entry = 0; entry < changed.length; entry++) {
      const node = changed.items[entry] as number;
      const parts = (this.#stamps[node] as number) & WHOLE_ROW;
      if (parts === 0) continue;
      this.#packRow(to, node, parts);
      count++;
    }
    to.words[countAt] = count;
  }

  #packRow(to: ChangeWords, node: number, parts: number): void {
    const { words } = to;
    const { pairs } = this;
    let at = to.length;
    words[at++] = (node << PART_BITS) | parts;
    if ((parts & LINKS) !== 0) {
      const links = node * LINK_WORDS;
      for (let i = 0; i < LINK_WORDS; i++) words[at++] = this.#links[links + i] as number;
    }
    const pair = node * PAIR_WORDS;
    const from = (parts & LEFT_SUBTREE) === 0 ? SUBTREE_WORDS : 0;
    const end = (parts & RIGHT_SUBTREE) === 0 ? SUBTREE_WORDS : PAIR_WORDS;
    for (let i = from; i < end; i++) words[at++] = pairs[pair + i] as number;
    to.length = at;
  }

  /** Applies the rows that `pack` added; returns where the words after them begin. */
  unpack(words: Uint32Array, at: number): number {
    const { pairs } = this;
    let from = at + 1;
    for (let left = words[at] as number; left > 0; left--) {
      const node = (words[from] as number) >>> PART_BITS;
      const parts = words[from++] as number;
      if ((parts & LINKS) !== 0) {
        const links = node * LINK_WORDS;
        for (let i = 0; i < LINK_WORDS; i++) this.#links[links + i] = words[from++] as number;
      }
      const pair = node * PAIR_WORDS;
      const first = (parts & LEFT_SUBTREE) === 0 ? SUBTREE_WORDS : 0;
      const end = (parts & RIGHT_SUBTREE) === 0 ? SUBTREE_WORDS : PAIR_WORDS;
      for (let i = first; i < end; i++) pairs[pair + i] = words[from++] as number;
    }
    return from;
  }

  /** The first rows, for a file; valid until the next change. */
  arrays(length: number): TableArray[] {
    const links = this.#links.subarray(0, length * LINK_WORDS);
    return [links, this.pairs.subarray(0, length * PAIR_WORDS)];
  }

  /** Gives the table a length; rows that come with it are to be filled through `arrays` or `unpack`. */
  resize(length: number): void {
    this.reserve(length);
    this.#length = length;
  }

  /** The rows are filled, and those that nothing uses are free from the next commit on. */
  filled(): void {
    for (let node = 0; node < this.#length; node++)
      if (this.isReleased(node)) this.#batch.addFree(node);
  }
}
