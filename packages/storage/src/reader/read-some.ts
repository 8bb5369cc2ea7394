/**
 * Reads records by their keys. A few are read at once in this thread: handing them to another costs more
 * than reading them.
 */
import { type Codec, unpacked } from '../codec/codec.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';

const SYNCHRONOUS_MAX = 8;

export async function readSome<T>(
  reader: KeyValueReader,
  keys: readonly Uint8Array[],
  codec: Codec<T>,
  what: string,
): Promise<(T | undefined)[]> {
  const records =
    keys.length <= SYNCHRONOUS_MAX
      ? keys.map((key) => reader.getSync(key))
      : await reader.getMany(keys);
  return records.map((record) =>
    record === undefined ? undefined : unpacked(codec, record, what),
  );
}
