/**
 * Compares the records in a block of a table file with their own checksums. A deletion has none: the only check of it
 * is that it has no contents.
 */
import { EntryReader, entriesOf } from './table-entries.ts';
import { KEY_SUFFIX_BYTES } from './table-index.ts';

const DELETION = 0;
const VALUE = 1;
/** More than any key of the store has. */
const KEY_BYTES_MAX = 512;

/** Takes the contents of a block whose checksum is right. */
export function hasSoundRecords(
  content: Buffer,
  isSound: (key: Uint8Array, record: Uint8Array) => boolean,
): boolean {
  const entries = entriesOf(content);
  const reader = new EntryReader(entries);
  // A key is named without what it shares with the one before it.
  const memory = new Uint8Array(KEY_BYTES_MAX);
  while (!reader.done) {
    const { shared, key, value } = reader.entry();
    const length = shared + key.length - KEY_SUFFIX_BYTES;
    if (reader.at > entries.length || length < 1 || shared + key.length > KEY_BYTES_MAX)
      return false;
    memory.set(key, shared);
    const kind = memory[length];
    if (kind === DELETION ? value.length > 0 : kind !== VALUE) return false;
    if (kind === VALUE && !isSound(memory.subarray(0, length), value)) return false;
  }
  return true;
}
