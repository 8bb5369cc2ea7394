/**
 * Growth of the flat tables. They hold hundreds of megabytes, so they grow by a sixteenth and not twofold.
 */
const CAPACITY_MIN = 1024;

export function grownCapacity(needed: number, present: number): number {
  return needed <= present ? present : Math.max(CAPACITY_MIN, needed, present + (present >> 4));
}

/** Memory of a table as it can be written to a file, and the memory that was read from one. */
export type SavedArray = Int32Array | Uint32Array | Uint16Array | Uint8Array;
export type NextSaved = () => Uint8Array<ArrayBuffer>;

/** A list of integers that is emptied and filled again without allocating. */
export class IntegerList {
  items: Int32Array = new Int32Array(CAPACITY_MIN);
  length = 0;

  push(value: number): void {
    if (this.length === this.items.length) {
      const larger = new Int32Array(2 * this.items.length);
      larger.set(this.items);
      this.items = larger;
    }
    this.items[this.length++] = value;
  }

  pop(): number | undefined {
    return this.length === 0 ? undefined : this.items[--this.length];
  }

  append(other: IntegerList): void {
    for (let i = 0; i < other.length; i++) this.push(other.items[i] as number);
  }

  clear(): void {
    this.length = 0;
  }

  saved(): Int32Array {
    return this.items.subarray(0, this.length);
  }

  restore(next: NextSaved): void {
    this.clear();
    for (const value of new Int32Array(next().buffer)) this.push(value);
  }
}

/** A journal of equally long runs of 32-bit words, for undoing changes. */
export class WordJournal {
  readonly #entryWords: number;
  words: Uint32Array;
  length = 0;

  constructor(entryWords: number) {
    this.#entryWords = entryWords;
    this.words = new Uint32Array(entryWords * CAPACITY_MIN);
  }

  /** Where the next entry is to be written. */
  append(): number {
    const at = this.length;
    this.length += this.#entryWords;
    if (this.length > this.words.length) {
      const larger = new Uint32Array(2 * this.words.length);
      larger.set(this.words);
      this.words = larger;
    }
    return at;
  }

  clear(): void {
    this.length = 0;
  }
}
