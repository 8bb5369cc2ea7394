/**
 * The inner nodes of a tree above its buckets, in flat arrays outside the JavaScript heap. A child is
 * a reference: an inner node's index when it is zero or above, `~bucket` when it is below zero.
 * Changes since `begin` can be undone, since a proposed cut may never be decided.
 */
export const NO_NODE = -1;
export const SUBTREE_BYTES = 64;
const SLOT_BYTES = 2 * SUBTREE_BYTES;
const START_CAPACITY = 1024;

interface Saved {
  readonly node: number;
  readonly bit: number;
  readonly left: number;
  readonly right: number;
  readonly parent: number;
  readonly count: number;
  readonly subtrees: Uint8Array;
}

export class NodeTable {
  bit: Uint16Array = new Uint16Array(START_CAPACITY);
  left: Int32Array = new Int32Array(START_CAPACITY);
  right: Int32Array = new Int32Array(START_CAPACITY);
  parent: Int32Array = new Int32Array(START_CAPACITY);
  count: Uint32Array = new Uint32Array(START_CAPACITY);
  /** Both children's subtrees of each node, one behind the other. */
  subtrees: Uint8Array = new Uint8Array(START_CAPACITY * SLOT_BYTES);
  #touched: Uint32Array = new Uint32Array(START_CAPACITY);
  #length = 0;
  #batch = 1;
  #free: number[] = [];
  #allocated: number[] = [];
  #released: number[] = [];
  #saved: Saved[] = [];

  get bytes(): number {
    return this.bit.length * (2 + 4 * 4 + SLOT_BYTES + 4);
  }

  allocate(bit: number, parent: number, count: number): number {
    const node = this.#free.pop() ?? this.#length++;
    if (node === this.bit.length) this.#grow();
    this.#touched[node] = this.#batch;
    this.#allocated.push(node);
    this.bit[node] = bit;
    this.parent[node] = parent;
    this.count[node] = count;
    return node;
  }

  release(node: number): void {
    this.touch(node);
    this.#released.push(node);
  }

  /** Must be called before a node's fields are changed. */
  touch(node: number): void {
    if (this.#touched[node] === this.#batch) return;
    this.#touched[node] = this.#batch;
    this.#saved.push({
      node,
      bit: this.bit[node] as number,
      left: this.left[node] as number,
      right: this.right[node] as number,
      parent: this.parent[node] as number,
      count: this.count[node] as number,
      subtrees: this.subtrees.slice(node * SLOT_BYTES, (node + 1) * SLOT_BYTES),
    });
  }

  /** Nodes that were made or touched since the last commit and are still in use. */
  changed(): number[] {
    const released = new Set(this.#released);
    const touched = [...this.#saved.map(({ node }) => node), ...this.#allocated];
    return touched.filter((node) => !released.has(node));
  }

  subtreeAt(node: number, side: number): number {
    return node * SLOT_BYTES + side * SUBTREE_BYTES;
  }

  commit(): void {
    for (const node of this.#released) this.#free.push(node);
    this.#next();
  }

  rollback(): void {
    for (const saved of this.#saved) {
      this.bit[saved.node] = saved.bit;
      this.left[saved.node] = saved.left;
      this.right[saved.node] = saved.right;
      this.parent[saved.node] = saved.parent;
      this.count[saved.node] = saved.count;
      this.subtrees.set(saved.subtrees, saved.node * SLOT_BYTES);
    }
    for (const node of this.#allocated) this.#free.push(node);
    this.#next();
  }

  #next(): void {
    this.#saved = [];
    this.#allocated = [];
    this.#released = [];
    this.#batch++;
  }

  #grow(): void {
    const capacity = Math.ceil(this.bit.length * 1.5);
    this.bit = grown(this.bit, new Uint16Array(capacity));
    this.left = grown(this.left, new Int32Array(capacity));
    this.right = grown(this.right, new Int32Array(capacity));
    this.parent = grown(this.parent, new Int32Array(capacity));
    this.count = grown(this.count, new Uint32Array(capacity));
    this.#touched = grown(this.#touched, new Uint32Array(capacity));
    this.subtrees = grown(this.subtrees, new Uint8Array(capacity * SLOT_BYTES));
  }
}

function grown<T extends { set(source: T): void }>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
