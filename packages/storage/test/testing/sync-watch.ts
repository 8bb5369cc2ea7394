/**
 * A database in memory that remembers what was written to it without a sync. The engine may lose that in a loss of power even if
 * later writes are synced: a sync reaches the log that is written to, not the one before it.
 */
import type {
  WriteBatch,
  WriteOperation,
  WriteOptions,
} from '../../src/key-value/key-value-store.ts';
import { MemoryStore } from '../../src/key-value/memory-store.ts';

export class SyncWatch extends MemoryStore {
  unsynced: WriteOperation[] = [];

  override batch(): WriteBatch {
    const operations: WriteOperation[] = [];
    return {
      put: (key, value) => void operations.push({ type: 'put', key, value }),
      delete: (key) => void operations.push({ type: 'del', key }),
      write: (options) => this.write(operations, options),
    };
  }

  override async write(
    operations: readonly WriteOperation[],
    { sync }: WriteOptions = { sync: true },
  ): Promise<void> {
    if (!sync) this.unsynced.push(...operations);
    await super.write(operations);
  }
}
