/**
 * Fills an empty store from the complete ranges of a state, on the path of snapshots: the same records
 * in another order, and the same checks at the end.
 */

import type { Head } from '../codec/meta-records.ts';
import { StateRefusedError } from '../errors.ts';
import type { Entry, KeyValueStore } from '../key-value/key-value-store.ts';
import { type ImportOptions, importState } from '../snapshot/state-import.ts';
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
  const { chainId } = options;
  const { height } = files.manifest;
  const outputsExpected = files.outputs;
  return importState(store, { chainId, height, ...cut }, recordsOf(files), {
    ...options,
    outputsExpected,
  });
}

async function* recordsOf(files: StateFiles): AsyncGenerator<readonly Entry[]> {
  const { totals, ranges } = files.manifest;
  yield totals;
  for (let index = 0; index < ranges.length; index++) {
    const bytes = await files.range(index);
    if (bytes === undefined) throw new StateRefusedError(`range ${index} is not there`);
    yield decodeRecords(bytes);
  }
}
