/**
 * The set of system states met so far: triples of node numbers in the order they were found, which is
 * also the queue of a breadth-first search. Open addressing over typed arrays: millions fit.
 */
export class StateTable {
  readonly #triples: Int32Array;
  readonly #parents: Int32Array;
  readonly #slots: Int32Array;
  #size = 0;

  /** `capacity` states at most. */
  constructor(capacity: number) {
    this.#triples = new Int32Array(3 * capacity);
    this.#parents = new Int32Array(capacity);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity + 1)));
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.#parents.length;
  }

  node(index: number, place: number): number {
    return this.#triples[3 * index + place] as number;
  }

  parent(index: number): number {
    return this.#parents[index] as number;
  }

  /** Whether the state is new; a new one is taken in, and the table must not be full. */
  add(a: number, b: number, c: number, parent: number): boolean {
    const mask = this.#slots.length - 1;
    let slot = hash(a, b, c) & mask;
    for (let found = this.#slots[slot] as number; found !== 0; ) {
      const at = 3 * (found - 1);
      if (this.#triples[at] === a && this.#triples[at + 1] === b && this.#triples[at + 2] === c)
        return false;
      slot = (slot + 1) & mask;
      found = this.#slots[slot] as number;
    }
    if (this.isFull) throw new RangeError('the state table is full');
    this.#triples.set([a, b, c], 3 * this.#size);
    this.#parents[this.#size] = parent;
    this.#size += 1;
    this.#slots[slot] = this.#size;
    return true;
  }
}

function hash(a: number, b: number, c: number): number {
  let value = Math.imul(a, 0x9e37_79b1) ^ Math.imul(b, 0x85eb_ca6b) ^ Math.imul(c, 0xc2b2_ae35);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b_3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a_2d39);
  return (value ^ (value >>> 15)) >>> 0;
}
