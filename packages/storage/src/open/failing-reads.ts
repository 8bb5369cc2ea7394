/**
 * Reads files of a disk that is failing: a sector that the system cannot read is damage like any other, and is reported with the
 * path and the place. Any other error of the system is thrown as it is.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { StoreDamagedError } from '../errors.ts';

/** Read at once as long as the disk can. */
const PIECE_BYTES = 1 << 20;
/** Disks fail in no smaller parts. */
const SECTOR_BYTES = 512;
/** Replaces bytes that cannot be read: no checksum fits it, and no log takes it for its end. */
const FILLING = 0xa5;

/** Whether the disk could not read something that should be there. */
export function isUnreadable(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EIO';
}

export function unreadableAt(path: string, at: number, advice: string): StoreDamagedError {
  return new StoreDamagedError(
    `${path} is damaged: the disk cannot read it at byte ${at}; ${advice}`,
  );
}

/** All of a small file; throws `StoreDamagedError` if the disk cannot read it. */
export function readWhole(path: string, advice: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    throw new StoreDamagedError(`${path} is damaged: the disk cannot read it; ${advice}`);
  }
}

/** A file, or its first bytes, with other bytes in the place of those that the disk cannot read. */
export function readPastHoles(path: string, bytesMax: number = Number.MAX_SAFE_INTEGER): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(bytesMax, fstatSync(file).size), FILLING);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      if (readInto(file, piece, at)) continue;
      for (let within = 0; within < piece.length; within += SECTOR_BYTES)
        readInto(file, piece.subarray(within, within + SECTOR_BYTES), at + within);
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** False if the disk cannot read all of it; the bytes read in between are then filled again. */
function readInto(file: number, bytes: Buffer, at: number): boolean {
  try {
    for (let done = 0; done < bytes.length; ) {
      const read = readSync(file, bytes, done, bytes.length - done, at + done);
      if (read === 0) break;
      done += read;
    }
    return true;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    bytes.fill(FILLING);
    return false;
  }
}
