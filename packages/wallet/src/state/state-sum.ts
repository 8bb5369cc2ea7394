/**
 * The checksum of a state that was closed, in a file beside it. SQLite keeps none for its pages: a bit that has flipped
 * in an amount would be believed. The sum names the moment at which the state was last written, so a state that was
 * put back from a backup is not mistaken for a damaged one. It goes before pages are first moved from the log into the state:
 * one whose process was killed before still has it, and one whose process was killed later has none.
 */
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectorySync } from 'svc-base/node';

const CHUNK_BYTES = 1 << 20;

export type SumVerdict = 'sound' | 'damaged' | 'unknown';

function sumPath(path: string): string {
  return `${path}.sum`;
}

/** Whether the state is what was closed; unknown if nobody closed it, or if it was written since. */
export function checkSum(path: string): SumVerdict {
  if (!existsSync(sumPath(path))) return 'unknown';
  const [writtenAt, sum, own] = readFileSync(sumPath(path), 'latin1').trim().split(' ');
  const isWhole = own === String(crc32(`${writtenAt} ${sum}`));
  if (!isWhole || writtenAt !== lastWrite(path)) return 'unknown';
  return sum === sumOf(path) ? 'sound' : 'damaged';
}

/** Called when the state is closed and no process has it open. A state whose sum cannot be written has none. */
export function writeSum(path: string): void {
  try {
    const text = `${lastWrite(path)} ${sumOf(path)}`;
    writeFileSync(sumPath(path), `${text} ${crc32(text)}\n`, { mode: 0o600 });
  } catch {
    // The state itself is closed and whole; the next opening looks through it.
  }
}

/** Called before the state is written, gone from the disk when it returns: a loss of power may leave the time of the last write as it was. */
export function forgetSum(path: string): void {
  if (!existsSync(sumPath(path))) return;
  rmSync(sumPath(path), { force: true });
  syncDirectorySync(dirname(path));
}

/** Whether a process has left the state without closing it. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function lastWrite(path: string): string {
  return String(statSync(path, { bigint: true }).mtimeNs);
}

/** The size and the checksum of a file. */
function sumOf(path: string): string {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const file = openSync(path, 'r');
  let size = 0;
  let sum = 0;
  try {
    for (;;) {
      const count = readSync(file, chunk, 0, CHUNK_BYTES, size);
      if (count === 0) return `${size}:${sum.toString(16)}`;
      sum = crc32(chunk.subarray(0, count), sum);
      size += count;
    }
  } finally {
    closeSync(file);
  }
}
