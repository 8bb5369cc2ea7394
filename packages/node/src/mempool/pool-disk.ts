/**
 * Where waiting transactions lie while the node is down. Any key-value store will do; the node itself uses a
 * journal, which costs less than a store that keeps its keys in order.
 */
import type { Entry, KeyRange, WriteOperation } from 'svc-storage';

export interface PoolDisk {
  /** Whatever is kept within the range, in any order. */
  scan(range: KeyRange): AsyncIterable<readonly Entry[]>;
  /** After a crash the operations are there up to one of them; with `sync`, all when the promise resolves. */
  write(operations: readonly WriteOperation[], options: { readonly sync: boolean }): Promise<void>;
  close(): Promise<void>;
}
