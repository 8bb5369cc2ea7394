/**
 * A dataset on the disk: what it was made from, its bytes, and a checksum over both. A file is written under
 * a temporary name and renamed when it is complete. Everything here blocks, so it belongs in a worker thread.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectorySync } from 'svc-base/node';
import { equalBytes, Writer } from 'svc-wasm/base';
import type { PowKey } from './pow-periods.ts';

const MARK = new TextEncoder().encode('svc dataset 1\n');
const DIGEST = 'sha256';
const DIGEST_BYTES = 32;
/** Bytes that are read or written at a time. */
const PIECE_BYTES = 4 << 20;

function headOf({ seed, cacheBytes, datasetBytes }: PowKey): Uint8Array {
  const sizes = new Writer().raw(MARK).raw(seed);
  return sizes.u64(BigInt(cacheBytes)).u64(BigInt(datasetBytes)).finish();
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

export function saveDataset(path: string, key: PowKey, dataset: Uint8Array): void {
  // Several programs may make the dataset of one chain at once; each writes a file of its own.
  const temporary = `${path}.${process.pid}.new`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    const digest = createHash(DIGEST);
    for (const bytes of [headOf(key), ...piecesOf(dataset)]) {
      digest.update(bytes);
      writeAll(file, bytes);
    }
    writeAll(file, digest.digest());
    fsyncSync(file);
  } catch (error) {
    closeSync(file);
    unlinkSync(temporary);
    throw error;
  }
  closeSync(file);
  renameSync(temporary, path);
  syncDirectorySync(dirname(path));
}

/** Whether the file was complete and is now in memory; otherwise the contents of the memory are undefined. */
export function loadDataset(path: string, key: PowKey, into: Uint8Array): boolean {
  const file = openExisting(path);
  if (file === undefined) return false;
  try {
    const head = headOf(key);
    if (fstatSync(file).size !== head.length + into.length + DIGEST_BYTES) return false;
    const found = new Uint8Array(head.length);
    if (!readAll(file, found) || !equalBytes(found, head)) return false;
    const digest = createHash(DIGEST).update(head);
    for (const piece of piecesOf(into)) {
      if (!readAll(file, piece)) return false;
      digest.update(piece);
    }
    const expected = new Uint8Array(DIGEST_BYTES);
    return readAll(file, expected) && equalBytes(expected, digest.digest());
  } finally {
    closeSync(file);
  }
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function readAll(file: number, into: Uint8Array): boolean {
  for (let at = 0; at < into.length; ) {
    const count = readSync(file, into, at, into.length - at, null);
    if (count === 0) return false;
    at += count;
  }
  return true;
}
