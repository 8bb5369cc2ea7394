/**
 * One table file whose data blocks have not all been checked since the store was opened. The file stays open until
 * they have been, so that it can still be read when a compaction has removed it.
 */
import type { LiveTable } from './level-manifest.ts';
import type { TableFile } from './level-table.ts';
import { KEY_SUFFIX_BYTES, type TableIndex } from './table-index.ts';

const NOTHING_CHECKED = new Uint8Array(0);

export class UncheckedTable {
  readonly level: number;
  readonly #first: Buffer;
  readonly #last: Buffer;
  readonly #file: TableFile;
  #index: TableIndex | undefined;
  /** A bit for each block, and how many are not set. */
  #checked: Uint8Array = NOTHING_CHECKED;
  #left: number | undefined;
  /** Where `checkSome` continues. */
  #next = 0;

  /** Takes over a file whose index has been checked. */
  constructor({ level, smallest, largest }: LiveTable, file: TableFile) {
    this.level = level;
    this.#first = storeKeyOf(smallest);
    this.#last = storeKeyOf(largest);
    this.#file = file;
  }

  get isChecked(): boolean {
    return this.#left === 0;
  }

  get indexBytes(): number {
    return this.#index?.bytes ?? 0;
  }

  /** Below zero if all keys of this table are below the key, above it if all are above. */
  compareWith(key: Uint8Array): number {
    if (this.#last.compare(key) < 0) return -1;
    return this.#first.compare(key) > 0 ? 1 : 0;
  }

  compareFirst(other: UncheckedTable): number {
    return this.#first.compare(other.#first);
  }

  /** Checks the blocks that may hold keys from the first to the last of two. */
  check(first: Uint8Array, last: Uint8Array): void {
    const index = this.#loadIndex();
    for (let at = index.firstBlockOf(first); at < index.count; at++) {
      this.#checkBlock(index, at);
      if (!index.reachesBehind(at, last)) break;
    }
  }

  /** Checks the next blocks, of about so many bytes together. */
  checkSome(bytes: number): void {
    const index = this.#loadIndex();
    let read = 0;
    while (read < bytes && this.#next < index.count) read += this.#checkBlock(index, this.#next++);
  }

  /** The index is read again when it is needed. */
  forgetIndex(): void {
    this.#index = undefined;
  }

  /** The opener of the tables may hold this one for as long as the store is open, so it keeps nothing. */
  close(): void {
    this.forgetIndex();
    this.#checked = NOTHING_CHECKED;
    this.#file.close();
  }

  #loadIndex(): TableIndex {
    this.#index ??= this.#file.readIndex();
    if (this.#left === undefined) {
      this.#left = this.#index.count;
      this.#checked = new Uint8Array((this.#left + 7) >> 3);
    }
    return this.#index;
  }

  /** Returns how many bytes were read: none if the block was checked before. */
  #checkBlock(index: TableIndex, at: number): number {
    const [place, bit] = [at >> 3, 1 << (at & 7)];
    const bits = this.#checked[place] as number;
    if ((bits & bit) !== 0) return 0;
    const block = index.block(at);
    this.#file.check(block);
    this.#checked[place] = bits | bit;
    this.#left = (this.#left as number) - 1;
    return block.size;
  }
}

function storeKeyOf(stored: Uint8Array): Buffer {
  const length = Math.max(0, stored.length - KEY_SUFFIX_BYTES);
  return Buffer.from(stored.buffer, stored.byteOffset, length);
}
