/**
 * Writes the state of the head as a stream of bytes, with what a node needs to go on from there, while the store
 * goes on.
 */
import { TABLES } from 'svc-ledger';
import { StoreUnavailableError } from '../errors.ts';
import { rangeOf } from '../layout.ts';
import type { LedgerStore } from '../ledger-store.ts';
import { StoredChainReader } from '../reader/stored-chain-reader.ts';
import { recentRecords } from './recent-records.ts';
import { SnapshotWriter } from './snapshot-format.ts';

export async function* exportSnapshot(store: LedgerStore): AsyncGenerator<Uint8Array, void> {
  const snapshot = store.keyValues.snapshot();
  try {
    const reader = new StoredChainReader(snapshot);
    const { height } = reader.head;
    const cut = await reader.cut(height);
    const certificate = await reader.certificate(height);
    if (cut === undefined || certificate === undefined) {
      throw new StoreUnavailableError('only a certified cut can be exported; wait for the next');
    }
    const { chainId } = store;
    const writer = new SnapshotWriter();
    yield writer.head({ chainId, height, header: cut.header, certificate });
    for (const table of TABLES) {
      for await (const entries of snapshot.scan(rangeOf(table))) yield writer.records(entries);
    }
    yield writer.records(recentRecords(snapshot, height));
    yield writer.end();
  } finally {
    await snapshot.close();
  }
}
