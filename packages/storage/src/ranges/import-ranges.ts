/**
 * Fills an empty store from the ranges of a state that are all there, by the way that snapshots take: the same records
 * in another order, and the same checks at the end.
 */

import type { Head } from '../codec/meta-records.ts';
import { StateRefusedError } from '../errors.ts';
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { type ImportOptions, importSnapshot } from '../snapshot/import-snapshot.ts';
import { SnapshotWriter } from '../snapshot/snapshot-format.ts';
import { decodeRecords } from './range-records.ts';
import type { StateFiles } from './state-files.ts';

export interface CertifiedCut {
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
}

export function importRanges(
  store: KeyValueStore,
  files: StateFiles,
  cut: CertifiedCut,
  options: ImportOptions,
): Promise<Head> {
  return importSnapshot(store, snapshotOf(files, cut, options.chainId), options);
}

async function* snapshotOf(
  files: StateFiles,
  { header, certificate }: CertifiedCut,
  chainId: string,
): AsyncGenerator<Uint8Array> {
  const { height, totals, ranges } = files.manifest;
  const writer = new SnapshotWriter();
  yield writer.head({ chainId, height, header, certificate });
  yield writer.records(totals);
  for (let index = 0; index < ranges.length; index++) {
    const bytes = await files.range(index);
    if (bytes === undefined) throw new StateRefusedError(`range ${index} is not there`);
    yield writer.records(decodeRecords(bytes));
  }
  yield writer.end();
}
