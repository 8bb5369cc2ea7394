/**
 * Fills an empty store from the bytes of a snapshot.
 */
import type { Head } from '../codec/meta-records.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { SnapshotReader } from './snapshot-format.ts';
import { type ImportOptions, importState } from './state-import.ts';

export async function importSnapshot(
  store: KeyValueStore,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<Head> {
  const reader = new SnapshotReader(chunks);
  return importState(store, await reader.head(), reader.records(), options);
}
