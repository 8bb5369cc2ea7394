/**
 * Writes many records of the state but outputs; trees follow with `rebuildRecordTrees`.
 */
import type { Change } from 'svc-ledger';
import { BatchBuilder } from '../commit/batch-builder.ts';
import { writeState } from '../commit/write-state.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';

export async function writeRecordsInBulk(
  store: KeyValueStore,
  changes: readonly Exclude<Change, { readonly table: 'outputs' }>[],
): Promise<void> {
  const batch = new BatchBuilder();
  writeState(batch, changes);
  await store.write(batch.operations, { sync: false });
}
