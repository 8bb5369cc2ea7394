/**
 * Reading the log after a crash. A bad end is a write that never finished: nothing was sent after it, so it is cut
 * off. A bad record that was already synced when a later one was written is corruption: others may have seen what it
 * held, so the log is refused, never skipped over.
 */
import type { WalRecord } from './record.ts';
import { decodeRecord, WAL_HEADER_BYTES } from './record.ts';

export type LogReading =
  | {
      readonly type: 'read';
      readonly records: readonly WalRecord[];
      /** The file is to be cut to this length before anything is appended. */
      readonly intactBytes: number;
      readonly droppedBytes: number;
    }
  | {
      readonly type: 'refused';
      readonly reason: 'rotten_record' | 'wrong_sequence';
      /** The place and number of the record that is lost. */
      readonly offset: number;
      readonly sequence: number;
    };

export function readLog(bytes: Uint8Array): LogReading {
  const records: WalRecord[] = [];
  let at = 0;
  while (at < bytes.length) {
    const record = decodeRecord(bytes, at);
    if (record === undefined) break;
    if (record.sequence !== records.length)
      return { type: 'refused', reason: 'wrong_sequence', offset: at, sequence: records.length };
    records.push(record);
    at += WAL_HEADER_BYTES + record.payload.length;
  }
  const later = at < bytes.length ? findLaterRecord(bytes, at + 1, records.length) : undefined;
  if (later !== undefined && later.synced > records.length)
    return { type: 'refused', reason: 'rotten_record', offset: at, sequence: records.length };
  return { type: 'read', records, intactBytes: at, droppedBytes: bytes.length - at };
}

/** The intact record beyond a damaged place that knew most records to be on disk. */
function findLaterRecord(bytes: Uint8Array, from: number, lost: number): WalRecord | undefined {
  let best: WalRecord | undefined;
  for (let at = from; at + WAL_HEADER_BYTES <= bytes.length; at++) {
    const record = decodeRecord(bytes, at);
    if (record === undefined || record.sequence <= lost) continue;
    if (best === undefined || record.synced > best.synced) best = record;
  }
  return best;
}
