/**
 * The inner nodes of a tree above its buckets, in flat arrays outside the JavaScript heap. A child is
 * a reference: an inner node's index when it is zero or above, `~bucket` when it is below zero.
 * Changes since the last commit can be undone, since a proposed cut may never be decided: whoever
 * changes a node calls `touch` first.
 */
import { grownCapacity, larger, type NextSaved, RowBatch, type SavedArray } from './growing.ts';

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
const NODE_BYTES = 4 * (LINK_WORDS + PAIR_WORDS + 1);

export class NodeTable {
  #links: Int32Array = new Int32Array(0);
  /** Both children's subtrees of each node, one behind the other. */
  pairs: Uint32Array = new Uint32Array(0);
  /** `2 * batch` when touched in this batch, one more when also listed for hashing. */
  #stamps: Uint32Array = new Uint32Array(0);
  #capacity = 0;
  #length = 0;
  readonly #batch = new RowBatch(LINK_WORDS + PAIR_WORDS);

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
    this.#links[node * LINK_WORDS + LEFT] = child;
  }

  setRight(node: number, child: number): void {
    this.#links[node * LINK_WORDS + RIGHT] = child;
  }

  setParent(node: number, parent: number): void {
    this.#links[node * LINK_WORDS + PARENT] = parent;
  }

  /** Where the subtree of a child lies in `pairs`. */
  subtreeAt(node: number, side: number): number {
    return node * PAIR_WORDS + side * SUBTREE_WORDS;
  }

  reserve(count: number): void {
    const capacity = grownCapacity(count, this.#capacity);
    if (capacity === this.#capacity) return;
    this.#links = larger(this.#links, new Int32Array(capacity * LINK_WORDS));
    this.pairs = larger(this.pairs, new Uint32Array(capacity * PAIR_WORDS));
    this.#stamps = larger(this.#stamps, new Uint32Array(capacity));
    this.#capacity = capacity;
  }

  allocate(bit: number, parent: number): number {
    let node = this.#batch.reuse();
    if (node === undefined) {
      node = this.#length++;
      this.reserve(this.#length);
    }
    this.#stamps[node] = 2 * this.#batch.number;
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
    if ((this.#stamps[node] as number) >= 2 * this.#batch.number) return;
    this.#stamps[node] = 2 * this.#batch.number;
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
    const listed = 2 * this.#batch.number + 1;
    if (this.#stamps[node] === listed) return false;
    this.#stamps[node] = listed;
    return true;
  }

  commit(): void {
    this.#batch.commit();
  }

  rollback(): void {
    const { words } = this.#batch.journal;
    let from = 0;
    for (let entry = 0; entry < this.#batch.changed.length; entry++) {
      const node = this.#batch.changed.items[entry] as number;
      const links = node * LINK_WORDS;
      for (let i = 0; i < LINK_WORDS; i++) this.#links[links + i] = words[from++] as number;
      const pair = node * PAIR_WORDS;
      for (let i = 0; i < PAIR_WORDS; i++) this.pairs[pair + i] = words[from++] as number;
    }
    for (let i = 0; i < this.#batch.allocated.length; i++)
      this.setParent(this.#batch.allocated.items[i] as number, RELEASED);
    this.#batch.rollback();
  }

  /** The committed nodes; valid until the next change. */
  saved(): SavedArray[] {
    const links = this.#links.subarray(0, this.#length * LINK_WORDS);
    return [links, this.pairs.subarray(0, this.#length * PAIR_WORDS), this.#batch.savedFree()];
  }

  /** Takes over what `saved` gave; the table must be empty. */
  restore(next: NextSaved): void {
    this.#links = new Int32Array(next().buffer);
    this.pairs = new Uint32Array(next().buffer);
    this.#batch.restoreFree(next);
    this.#length = this.#links.length / LINK_WORDS;
    this.#capacity = this.#length;
    this.#stamps = new Uint32Array(this.#length);
  }
}
