/**
 * The live table files of a database, from the edits that its manifest records.
 */
export interface LiveTable {
  readonly number: number;
  /** Tables of a level above 0 have no keys in common, apart from versions of one at the border of two. */
  readonly level: number;
  readonly size: number;
  /** The first and the last key, as the engine stores them. */
  readonly smallest: Uint8Array;
  readonly largest: Uint8Array;
}

class EditReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  bytes(): Uint8Array {
    const length = this.varint();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

const COMPARATOR = 1;
const LOG_NUMBER = 2;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;

export interface LiveFiles {
  readonly tables: readonly LiveTable[];
  /** Logs below this number are in tables already. */
  readonly logNumber: number;
}

export function liveTables(edits: readonly Uint8Array[]): readonly LiveTable[] {
  return liveFiles(edits).tables;
}

export function liveFiles(edits: readonly Uint8Array[]): LiveFiles {
  const tables = new Map<number, LiveTable>();
  let logNumber = 0;
  for (const edit of edits) logNumber = applyEdit(new EditReader(edit), tables) ?? logNumber;
  return { tables: [...tables.values()], logNumber };
}

/** Returns the number of the first live log if the edit names it. */
function applyEdit(reader: EditReader, tables: Map<number, LiveTable>): number | undefined {
  let logNumber: number | undefined;
  while (!reader.done) {
    const tag = reader.varint();
    if (tag === COMPARATOR) reader.bytes();
    else if (tag === LOG_NUMBER) logNumber = reader.varint();
    else if (tag === COMPACT_POINTER) {
      reader.varint();
      reader.bytes();
    } else if (tag === DELETED_FILE) {
      reader.varint();
      tables.delete(reader.varint());
    } else if (tag === NEW_FILE) {
      const level = reader.varint();
      const number = reader.varint();
      const size = reader.varint();
      const smallest = reader.bytes();
      const largest = reader.bytes();
      tables.set(number, { number, level, size, smallest, largest });
    } else reader.varint();
  }
  return logNumber;
}
