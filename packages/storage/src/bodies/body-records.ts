/**
 * Where bodies of blocks are. Under the key of a body the database has the body's own record
 * where that is small, else the place of it in a file; under the number of a file, what is in it. In a file each record
 * follows its key and its length, so that a file can be read without the database.
 */
import { expectChecksum, withChecksum } from '../codec/checksum.ts';
import { StoreDamagedError } from '../errors.ts';
import { LAYOUT } from '../layout.ts';

/** A record with its checksum, as callers read and write it. */
export interface BodyEntry {
  readonly key: Uint8Array;
  readonly record: Uint8Array;
}

export interface BodyPlace {
  readonly file: number;
  /** Where the record itself begins. */
  readonly offset: number;
  readonly length: number;
}

/** What a file holds: bodies that are named by the database, and bytes that were on the disk when it named them. */
export interface FileContents {
  readonly bodies: number;
  readonly bytes: number;
}

export interface Frame {
  readonly key: Uint8Array;
  readonly length: number;
}

/** A prefix and the id of a block. */
const KEY_BYTES = 49;
export const FRAME_HEAD_BYTES = KEY_BYTES + 4;
/** Records up to this size stay in the database: those of blocks without payments. */
const INLINE_BYTES_MAX = 2_048;

const INLINE = 0;
const PLACED = 1;
const PLACED_BYTES = 13;
const CONTENTS_BYTES = 8;

export const BODY_PREFIX: number = LAYOUT.blockBodies.prefix;

export function isBodyKey(key: Uint8Array): boolean {
  return key[0] === BODY_PREFIX;
}

export function liesInFile(record: Uint8Array): boolean {
  return record.length > INLINE_BYTES_MAX;
}

export function inlineRecord({ key, record }: BodyEntry): Uint8Array {
  const value = new Uint8Array(1 + record.length);
  value[0] = INLINE;
  value.set(record, 1);
  return withChecksum(key, value);
}

export function placeRecord(key: Uint8Array, { file, offset, length }: BodyPlace): Uint8Array {
  const view = new DataView(new ArrayBuffer(PLACED_BYTES));
  view.setUint8(0, PLACED);
  view.setUint32(1, file);
  view.setUint32(5, offset);
  view.setUint32(9, length);
  return withChecksum(key, new Uint8Array(view.buffer));
}

/** The record of a body, or its place. */
export function readStored(key: Uint8Array, stored: Uint8Array): Uint8Array | BodyPlace {
  const value = expectChecksum(key, stored, 'blockBodies');
  if (value[0] === INLINE) return value.subarray(1);
  if (value[0] !== PLACED || value.length !== PLACED_BYTES)
    throw new StoreDamagedError('a record of blockBodies has no known form');
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return { file: view.getUint32(1), offset: view.getUint32(5), length: view.getUint32(9) };
}

export function fileKey(file: number): Uint8Array {
  const key = new Uint8Array(5);
  key[0] = LAYOUT.bodyFiles.prefix;
  new DataView(key.buffer).setUint32(1, file);
  return key;
}

export function fileOf(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset, key.byteLength).getUint32(1);
}

export function contentsRecord(key: Uint8Array, { bodies, bytes }: FileContents): Uint8Array {
  const view = new DataView(new ArrayBuffer(CONTENTS_BYTES));
  view.setUint32(0, bodies);
  view.setUint32(4, bytes);
  return withChecksum(key, new Uint8Array(view.buffer));
}

export function readContents(key: Uint8Array, stored: Uint8Array): FileContents {
  const value = expectChecksum(key, stored, 'bodyFiles');
  if (value.length !== CONTENTS_BYTES)
    throw new StoreDamagedError('a record of bodyFiles has no known form');
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return { bodies: view.getUint32(0), bytes: view.getUint32(4) };
}

export function frameHead({ key, record }: BodyEntry): Uint8Array {
  const head = new Uint8Array(FRAME_HEAD_BYTES);
  head.set(key);
  new DataView(head.buffer).setUint32(KEY_BYTES, record.length);
  return head;
}

/** Undefined if these bytes are not the head of a frame. */
export function readFrameHead(head: Uint8Array): Frame | undefined {
  if (head.length < FRAME_HEAD_BYTES || !isBodyKey(head)) return undefined;
  const length = new DataView(head.buffer, head.byteOffset).getUint32(KEY_BYTES);
  return { key: head.slice(0, KEY_BYTES), length };
}
