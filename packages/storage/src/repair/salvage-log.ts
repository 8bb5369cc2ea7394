/**
 * Reads the batches of the engine's logs, which hold the records that are in no table yet. A log is believed up to the first record
 * that cannot be read: what comes after it was written on top of it.
 */
import { readPastHoles } from '../open/failing-reads.ts';
import { readLog } from '../open/level-log.ts';
import { EntryReader } from '../open/table-entries.ts';
import { mendLog } from './mend-log.ts';
import { compareVersions, type Version } from './versions.ts';

const HEADER_BYTES = 12;
const DELETION = 0;

export interface SalvagedLogs {
  /** In the order of keys. */
  readonly versions: readonly Version[];
  /** The log at which reading had to end, if it had to. */
  readonly brokenAt: string | undefined;
}

/** The logs must be given in the order in which they were written. */
export function salvageLogs(
  paths: readonly string[],
  onMended: (what: string) => void,
): SalvagedLogs {
  const versions: Version[] = [];
  let brokenAt: string | undefined;
  for (const path of paths) {
    const { bytes, mended } = mendLog(readPastHoles(path));
    if (mended > 0) onMended(path);
    const log = readLog(bytes, { stopsAtHole: true });
    for (const batch of log.records)
      for (const version of versionsIn(batch)) versions.push(version);
    if (log.tornBytes === 0) continue;
    brokenAt = path;
    break;
  }
  return { versions: versions.sort(compareVersions), brokenAt };
}

function* versionsIn(batch: Uint8Array): Generator<Version> {
  if (batch.length < HEADER_BYTES) return;
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  let sequence = view.getBigUint64(0, true);
  const reader = new EntryReader(batch.subarray(HEADER_BYTES));
  for (let left = view.getUint32(8, true); left > 0 && !reader.done; left--) {
    const isDeletion = reader.byte() === DELETION;
    const key = reader.counted();
    yield { key, sequence, value: isDeletion ? undefined : reader.counted() };
    sequence += 1n;
  }
}
