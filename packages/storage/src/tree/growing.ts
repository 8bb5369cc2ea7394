/**
 * Growth of the flat tables. Small ones begin small and double, because a node of a test opens many of them; large ones hold
 * hundreds of megabytes, so they grow by a sixteenth.
 */
import { askForHugePages } from 'svc-base/node';

const CAPACITY_MIN = 64;
const DOUBLING_MAX = 4096;
/** What the processor remembers of pages is enough for smaller tables. */
const HUGE_PAGES_MIN = 4 << 20;

export function grownCapacity(needed: number, present: number): number {
  if (needed <= present) return present;
  const grown = present < DOUBLING_MAX ? 2 * present : present + (present >> 4);
  return Math.max(CAPACITY_MIN, needed, grown);
}

/** A larger array that begins with what the smaller one holds. */
export function larger<T extends TableArray>(old: T, grown: T): T {
  grown.set(old);
  return grown;
}

/** The same for rows that are read at random: large ones ask for huge pages. */
export function largerTable<T extends TableArray>(old: T, grown: T): T {
  askForHugePages(grown.buffer, HUGE_PAGES_MIN);
  return larger(old, grown);
}

/** Memory of a table as it is in a file. */
export type TableArray = Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** A list of integers that is emptied and filled again without allocating. */
export class IntegerList {
  items: Int32Array = new Int32Array(CAPACITY_MIN);
  length = 0;

  push(value: number): void {
    if (this.length === this.items.length) {
      this.items = larger(this.items, new Int32Array(2 * this.items.length));
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
      this.words = larger(this.words, new Uint32Array(2 * this.words.length));
    }
    return at;
  }

  clear(): void {
    this.length = 0;
  }
}

/**
 * Which rows of a table the present batch allocated, released and changed, and what the changed ones held before.
 * A released row is free for another only after the commit, so that a rollback finds it untouched.
 */
export class RowBatch {
  /** Counts batches; the stamp of a row says in which one it was touched last. */
  number: number;
  readonly allocated: IntegerList = new IntegerList();
  readonly released: IntegerList = new IntegerList();
  /** The changed rows, in the order of their entries in the journal. */
  readonly changed: IntegerList = new IntegerList();
  readonly journal: WordJournal;
  readonly #free = new IntegerList();

  constructor(entryWords: number, firstNumber: number) {
    this.journal = new WordJournal(entryWords);
    this.number = firstNumber;
  }

  /** Restarts the count of batches after the last one that fits into stamps; called between two batches. */
  countAnew(stamps: Uint32Array, last: number): void {
    if (this.number <= last) return;
    stamps.fill(0);
    this.number = 1;
  }

  /** A row that nothing uses, taken for this batch; none if the table has to grow. */
  reuse(): number | undefined {
    return this.#free.pop();
  }

  commit(): void {
    this.#free.append(this.released);
    this.#next();
  }

  /** The table must have written back what the journal holds, and ends before row `length` again. */
  rollback(length: number): void {
    for (let i = 0; i < this.allocated.length; i++) {
      const row = this.allocated.items[i] as number;
      if (row < length) this.#free.push(row);
    }
    this.#next();
  }

  /** Registers an unused row in a table that was read from a file. */
  addFree(row: number): void {
    this.#free.push(row);
  }

  #next(): void {
    this.allocated.clear();
    this.released.clear();
    this.changed.clear();
    this.journal.clear();
    this.number++;
  }
}
