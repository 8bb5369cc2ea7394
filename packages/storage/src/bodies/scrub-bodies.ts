/**
 * Reads the files of bodies again and checks every record against its own checksum, so that corruption is found before a reader
 * meets it. The newest file may be written to meanwhile: a damaged record in it is read again after a
 * pause before it is called damaged. A file that was removed meanwhile is skipped.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { expectChecksum } from '../codec/checksum.ts';
import { StoreDamagedError } from '../errors.ts';
import { CHAIN_CONTENTS } from '../open/contents.ts';
import { isUnreadable, unreadableAt } from '../open/failing-reads.ts';
import type { ScrubOptions } from '../open/scrub.ts';
import { bodyFilesIn, bodyPath } from './body-files.ts';
import { FRAME_HEAD_BYTES, readFrameHead } from './body-records.ts';
import { bodiesOf } from './body-store.ts';

/** How often a record of the newest file is looked at again. */
const LOOKS_MAX = 3;

/** Throws `StoreDamagedError` with the name of a damaged file; returns how many bytes were found sound. */
export async function scrubBodies(
  database: string,
  { pieceBytes, pause }: Pick<ScrubOptions, 'pieceBytes' | 'pause'>,
): Promise<number> {
  const directory = bodiesOf(database);
  if (!existsSync(directory)) return 0;
  const files = bodyFilesIn(directory);
  let bytes = 0;
  for (const file of files) {
    const path = bodyPath(directory, file);
    const opened = openIfThere(path);
    if (opened === undefined) continue;
    try {
      const sound = await scrubFile(opened, path, pieceBytes, pause);
      bytes += sound.bytes;
      if (sound.isBrokenOff) return bytes;
    } finally {
      closeSync(opened);
    }
  }
  return bytes;
}

/** Checks one file at once, up to the length in the database: everything before that was complete when it was written. */
export function scrubBodyFile(database: string, file: number, bytes: number): void {
  const path = bodyPath(bodiesOf(database), file);
  const opened = openIfThere(path);
  if (opened === undefined) throw damagedAt(path, 0);
  try {
    for (let at = 0; at < bytes; ) {
      const length = soundFrameAt(opened, path, at);
      if (length === undefined) throw damagedAt(path, at);
      at += length;
    }
  } finally {
    closeSync(opened);
  }
}

async function scrubFile(
  opened: number,
  path: string,
  pieceBytes: number,
  pause: () => Promise<boolean>,
): Promise<{ readonly bytes: number; readonly isBrokenOff: boolean }> {
  let bytes = 0;
  let looks = 0;
  for (let since = 0; bytes < fstatSync(opened).size; ) {
    const length = soundFrameAt(opened, path, bytes);
    if (length === undefined && ++looks >= LOOKS_MAX) throw damagedAt(path, bytes);
    if (length !== undefined) looks = 0;
    bytes += length ?? 0;
    since += length ?? pieceBytes;
    if (since < pieceBytes) continue;
    since = 0;
    if (!(await pause())) return { bytes, isBrokenOff: true };
  }
  return { bytes, isBrokenOff: false };
}

function damagedAt(path: string, at: number): StoreDamagedError {
  return new StoreDamagedError(
    `${path} is damaged at byte ${at}: a record of blockBodies is not as it was written; ${CHAIN_CONTENTS.advice}`,
  );
}

/** The bytes of the frame that begins at an offset; undefined if it is not sound. */
function soundFrameAt(opened: number, path: string, offset: number): number | undefined {
  const frame = readFrameHead(readAt(opened, path, offset, FRAME_HEAD_BYTES));
  if (frame === undefined || offset + frame.length > fstatSync(opened).size) return undefined;
  const record = readAt(opened, path, offset + FRAME_HEAD_BYTES, frame.length);
  try {
    expectChecksum(frame.key, record, 'blockBodies');
    return FRAME_HEAD_BYTES + frame.length;
  } catch (error) {
    if (error instanceof StoreDamagedError) return undefined;
    throw error;
  }
}

function readAt(opened: number, path: string, offset: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  try {
    return bytes.subarray(0, readSync(opened, bytes, 0, length, offset));
  } catch (error) {
    throw isUnreadable(error) ? unreadableAt(path, offset, CHAIN_CONTENTS.advice) : error;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
