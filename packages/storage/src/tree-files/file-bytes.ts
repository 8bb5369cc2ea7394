/**
 * Reading and writing of the files that hold trees: in pieces, with a checksum over everything.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ID_BYTES } from '../codec/sizes.ts';
import type { TableArray } from '../tree/growing.ts';

/** The most that one call reads: the system takes no more than two gigabytes at once. */
const PIECE_BYTES = 1 << 26;
export const CHECKSUM_BYTES = 4;

/** The cut that trees belong to, and the root that they lead to. */
export interface TreesCut {
  readonly cutId: string;
  readonly stateRoot: string;
}
export const CUT_BYTES: number = 2 * ID_BYTES;

/** The length of a log, and the checksum over everything before. */
export interface LogEnd {
  readonly generation: number;
  readonly bytes: number;
  readonly checksum: number;
}

export class Checksum {
  value: number;

  constructor(value = 0) {
    this.value = value;
  }

  add(bytes: Uint8Array): void {
    this.value = crc32(bytes, this.value);
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(CHECKSUM_BYTES);
    bytes.writeUInt32LE(this.value);
    return bytes;
  }
}

export function cutBytes({ cutId, stateRoot }: TreesCut): Buffer {
  return Buffer.concat([Buffer.from(cutId, 'hex'), Buffer.from(stateRoot, 'hex')]);
}

export function cutIn(bytes: Buffer, at: number): TreesCut {
  const cutId = bytes.toString('hex', at, at + ID_BYTES);
  return { cutId, stateRoot: bytes.toString('hex', at + ID_BYTES, at + CUT_BYTES) };
}

export function bytesOf({ buffer, byteOffset, byteLength }: TableArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Whether the system refused something; anything else is a fault of ours. */
export function isOfSystem(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}

/** Reads with an open file; undefined if there is none. */
export function withFile<T>(path: string, read: (file: number) => T): T | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

/** Fills bytes from a place in a file; those after its end stay as they are. */
export function readInto(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    const length = Math.min(PIECE_BYTES, bytes.length - done);
    const read = readSync(file, bytes, done, length, at + done);
    if (read === 0) return;
    done += read;
  }
}
