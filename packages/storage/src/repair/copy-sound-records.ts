/**
 * Hands out every sound record of a damaged database. Each is checked by its own checksum; a record with
 * one turned bit is mended, one that cannot be mended is left out.
 */
import { crc32 } from 'node:zlib';
import { readBodySync } from '../bodies/body-files.ts';
import { fileOf, isBodyKey, readContents, readStored } from '../bodies/body-records.ts';
import { bodiesOf } from '../bodies/body-store.ts';
import { StoreDamagedError } from '../errors.ts';
import { tableOf } from '../key-value/checksummed-store.ts';
import { isSoundBucket } from '../tree/bucket.ts';
import { Losses } from './losses.ts';
import { IEEE, turnedBit, withBitTurned } from './mend-one-bit.ts';
import { salvageDatabase } from './salvage-database.ts';

export interface SalvageReport {
  readonly losses: Losses;
  /** Places where one turned bit was turned back. */
  readonly mended: string[];
  /** The log whose end could not be read, if there is one. */
  shortenedAt: string | undefined;
  records: number;
  /** By the number of a file of bodies, how many of its bytes the database knows of. */
  readonly bodyBytes: Map<number, number>;
}

const CHECKSUM_BYTES = 4;

export async function copySoundRecords(
  database: string,
  onRecord: (key: Uint8Array, record: Uint8Array) => Promise<void> | undefined,
): Promise<SalvageReport> {
  const report: SalvageReport = {
    losses: new Losses(),
    mended: [],
    shortenedAt: undefined,
    records: 0,
    bodyBytes: new Map(),
  };
  const entries = salvageDatabase(database, {
    onLoss: (loss) => report.losses.add(loss),
    onMended: (what) => void report.mended.push(what),
    onShortened: (path) => {
      report.shortenedAt = path;
    },
  });
  for (const [key, record] of entries) {
    const stored = soundRecord(key, record, report);
    if (tableOf(key) === 'bodyFiles') {
      // The writer of bodies recounts them.
      if (stored !== undefined) report.bodyBytes.set(fileOf(key), readContents(key, stored).bytes);
      continue;
    }
    const sound =
      stored !== undefined && isBodyKey(key) ? soundBody(database, key, stored, report) : stored;
    if (sound === undefined) continue;
    report.records++;
    const writing = onRecord(key, sound);
    if (writing !== undefined) await writing;
  }
  return report;
}

/** The record of a body, found by its place in the database. */
function soundBody(
  database: string,
  key: Uint8Array,
  stored: Uint8Array,
  report: SalvageReport,
): Uint8Array | undefined {
  try {
    const found = readStored(key, stored);
    const record = found instanceof Uint8Array ? found : readBodySync(bodiesOf(database), found);
    return soundRecord(key, record, report);
  } catch (error) {
    if (!(error instanceof StoreDamagedError)) throw error;
    report.losses.addTable('blockBodies', error.message);
    return undefined;
  }
}

function soundRecord(
  key: Uint8Array,
  record: Uint8Array,
  { losses, mended }: SalvageReport,
): Uint8Array | undefined {
  const table = tableOf(key);
  if (table === 'buckets') {
    if (isSoundBucket(record)) return record;
    losses.addTable(table, 'a record of buckets has a wrong checksum');
    return undefined;
  }
  const difference = differenceOf(key, record);
  if (difference === 0 && table !== undefined) return record;
  const length = key.length + record.length - CHECKSUM_BYTES;
  const bit = difference === undefined ? undefined : turnedBit(length, difference, IEEE);
  const reason = `a record of ${table ?? 'no table'} has a wrong checksum`;
  if (bit !== undefined && bit < 8 * key.length) {
    // An older version may have come under the right key already, so that the record cannot be put there.
    const trueKey = withBitTurned(key, bit);
    losses.add({ from: trueKey, to: trueKey, reason });
    return undefined;
  }
  if (table === undefined) {
    losses.add({ from: key, to: key, reason });
    return undefined;
  }
  if (bit === undefined) {
    losses.addTable(table, reason);
    return undefined;
  }
  mended.push(`a record of ${table}`);
  return withBitTurned(record, bit - 8 * key.length);
}

/** Zero if the checksum is right; undefined if there is no room for one. */
function differenceOf(key: Uint8Array, record: Uint8Array): number | undefined {
  const end = record.length - CHECKSUM_BYTES;
  if (end < 0) return undefined;
  const stored = new DataView(record.buffer, record.byteOffset + end).getUint32(0, true);
  return (crc32(record.subarray(0, end), crc32(key)) ^ stored) >>> 0;
}
