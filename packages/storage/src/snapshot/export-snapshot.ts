/**
 * Writes the state of the head as a stream of bytes, with what a node needs to go on from there. No cut may be
 * committed meanwhile: a state that has moved on is found and ends the stream with an error.
 */
import { TABLES } from 'svc-ledger';
import { heightKey } from '../commit/keys.ts';
import { StoreUnavailableError } from '../errors.ts';
import { rangeOf } from '../layout.ts';
import type { LedgerStore } from '../ledger-store.ts';
import { readChecked, readCut } from '../reader/cut-reader.ts';
import { HeadView } from '../reader/head-view.ts';
import { recentRecords } from './recent-records.ts';
import { SnapshotWriter } from './snapshot-format.ts';

export async function* exportSnapshot(store: LedgerStore): AsyncGenerator<Uint8Array, void> {
  const { head, current } = new HeadView(store.keyValues);
  const { height } = head;
  const cut = readCut(current, height);
  const certificate = readChecked(current, 'certificates', heightKey('certificates', height));
  if (cut === undefined || certificate === undefined) {
    throw new StoreUnavailableError('only a certified cut can be exported; wait for the next');
  }
  const { chainId } = store;
  const writer = new SnapshotWriter();
  yield writer.head({ chainId, height, header: cut.header, certificate });
  for (const table of TABLES) {
    for await (const entries of current.scan(rangeOf(table))) yield writer.records(entries);
  }
  yield writer.records(recentRecords(current, height));
  yield writer.end();
}
