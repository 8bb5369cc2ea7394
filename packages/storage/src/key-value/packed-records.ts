/**
 * Many records in two pieces of memory, so that they can be handed to another thread at once: bytes of keys and values, each
 * value after its key, and three numbers for each record.
 */

export interface PackedRecords {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For each record where its key begins, and the lengths of key and value; `NO_VALUE` for a record that is to be deleted. */
  readonly words: Int32Array<ArrayBuffer>;
  /** Whether records of tables without a checksum of their own get one when they are written. */
  readonly getChecksums: boolean;
  /** Returns the memory of the bytes once it is not needed any more, for the next records. */
  readonly giveBack?: (memory: ArrayBuffer) => void;
}

export const PACKED_WORDS = 3;
/** In place of the length of a value. */
export const NO_VALUE = -1;

/** A record as views of the packed bytes; without a value it is to be deleted. */
export type TakePacked = (key: Uint8Array, value: Uint8Array | undefined) => void;

/** Hands over all records, in their order. */
export function forEachPacked({ bytes, words }: PackedRecords, take: TakePacked): void {
  for (let word = 0; word < words.length; word += PACKED_WORDS) {
    const at = words[word] as number;
    const valueAt = at + (words[word + 1] as number);
    const valueBytes = words[word + 2] as number;
    take(
      bytes.subarray(at, valueAt),
      valueBytes === NO_VALUE ? undefined : bytes.subarray(valueAt, valueAt + valueBytes),
    );
  }
}

/** The records whose keys do not begin with a byte; the others go to a callback. */
export function withoutPrefix(
  records: PackedRecords,
  prefix: number,
  take: TakePacked,
): PackedRecords {
  const { bytes, words } = records;
  const kept = new Int32Array(words.length);
  const taken = new Int32Array(words.length);
  let [keptWords, takenWords] = [0, 0];
  for (let word = 0; word < words.length; word += PACKED_WORDS) {
    const isTaken = bytes[words[word] as number] === prefix;
    for (let part = 0; part < PACKED_WORDS; part++) {
      if (isTaken) taken[takenWords++] = words[word + part] as number;
      else kept[keptWords++] = words[word + part] as number;
    }
  }
  if (takenWords === 0) return records;
  forEachPacked({ ...records, words: taken.slice(0, takenWords) }, take);
  return { ...records, words: kept.slice(0, keptWords) };
}
