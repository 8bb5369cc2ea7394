/**
 * The file `trees`: the rows of all state trees, one array behind the other as they are in memory. They may have been read at
 * different moments, while cuts were committed; with what the log of the same generation has up to a place they are those of
 * one cut. Nothing here decides which cut is wanted.
 *
 * Magic, lineage, generation, shape, arrays, cut id, state root, bytes and checksum of the log, CRC-32. Without bytes of the log all was
 * read at one moment.
 */
import { fstatSync } from 'node:fs';
import { BUCKET_ROW_BYTES } from '../tree/bucket-table.ts';
import { NODE_ROW_BYTES } from '../tree/node-table.ts';
import { SHAPE_WORDS } from '../tree/tree-tables.ts';
import { type StateTrees, TREE_NAMES } from '../trees/state-trees.ts';
import {
  bytesOf,
  CHECKSUM_BYTES,
  Checksum,
  CUT_BYTES,
  cutBytes,
  cutIn,
  readInto,
  type TreesCut,
  withFile,
} from './file-bytes.ts';

const MAGIC = Buffer.from('SVCTREE2');
export const LINEAGE_BYTES = 16;
const GENERATION_AT = MAGIC.length + LINEAGE_BYTES;
const SHAPE_AT = GENERATION_AT + 4;
/** The size of the first piece; the caller chooses that of the others. */
export const HEAD_BYTES: number = SHAPE_AT + 4 * TREE_NAMES.length * SHAPE_WORDS;
const LOG_AT = CUT_BYTES;
const END_BYTES = LOG_AT + 8 + 4 + CHECKSUM_BYTES;

/** Which numbers rows have: trees that were built from records begin a lineage of their own. */
export type Lineage = Buffer;

export interface BaseName {
  readonly lineage: Lineage;
  /** Generation of the base, and of the log that was begun before the base was read. */
  readonly generation: number;
}

/** The log position from which a base is complete. */
export interface BaseEnd {
  readonly cut: TreesCut;
  readonly log: { readonly bytes: number; readonly checksum: number };
}

export type Base = BaseName & BaseEnd & { readonly bytes: number };

/** The base without its end, piece by piece; each is of the moment when it is asked for, and is to be copied in the same turn. */
export function* basePieces(
  trees: StateTrees,
  { lineage, generation }: BaseName,
  pieceBytes: number,
): Generator<Uint8Array, void> {
  const shape = trees.shape();
  const lengths = trees.arrays(shape).map(({ byteLength }) => byteLength);
  const numbers = Buffer.alloc(4);
  numbers.writeUInt32LE(generation);
  yield Buffer.concat([MAGIC, lineage, numbers, bytesOf(shape)]);
  for (const [place, length] of lengths.entries())
    for (let at = 0; at < length; at += pieceBytes) {
      // A table that grows moves, so its memory is looked up for each piece.
      const array = bytesOf(trees.arrays(shape)[place] as Uint8Array);
      yield array.subarray(at, Math.min(length, at + pieceBytes));
    }
}

/** Ends a base whose pieces have this checksum. */
export function baseEnd({ cut, log }: BaseEnd, sum: Checksum): Buffer {
  const numbers = Buffer.alloc(8 + 4);
  numbers.writeBigUInt64LE(BigInt(log.bytes));
  numbers.writeUInt32LE(log.checksum, 8);
  const end = Buffer.concat([cutBytes(cut), numbers]);
  sum.add(end);
  return Buffer.concat([end, sum.bytes()]);
}

/** Fills empty trees with the rows of a file. They are of no use if it answers undefined: the file is missing or not sound. */
export function readBase(path: string, trees: StateTrees): Base | undefined {
  return withFile(path, (file) => {
    const { size } = fstatSync(file);
    const head = Buffer.alloc(HEAD_BYTES);
    readInto(file, head, 0);
    if (!head.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    const shape = new Uint32Array(head.buffer.slice(SHAPE_AT, HEAD_BYTES));
    if (size !== sizeOf(shape)) return undefined;
    trees.reshape(shape);
    const sum = new Checksum();
    sum.add(head);
    let at = HEAD_BYTES;
    for (const array of trees.arrays(shape)) {
      const bytes = bytesOf(array);
      readInto(file, bytes, at);
      sum.add(bytes);
      at += bytes.length;
    }
    const end = Buffer.alloc(END_BYTES);
    readInto(file, end, at);
    sum.add(end.subarray(0, -CHECKSUM_BYTES));
    if (!sum.bytes().equals(end.subarray(-CHECKSUM_BYTES))) return undefined;
    return {
      lineage: head.subarray(MAGIC.length, GENERATION_AT),
      generation: head.readUInt32LE(GENERATION_AT),
      cut: cutIn(end, 0),
      log: { bytes: Number(end.readBigUInt64LE(LOG_AT)), checksum: end.readUInt32LE(LOG_AT + 8) },
      bytes: size,
    };
  });
}

/** Bytes of a file with trees of a shape. */
function sizeOf(shape: Uint32Array): number {
  let size = HEAD_BYTES + END_BYTES;
  for (let at = 0; at < shape.length; at += SHAPE_WORDS)
    size += (shape[at] as number) * NODE_ROW_BYTES + (shape[at + 1] as number) * BUCKET_ROW_BYTES;
  return size;
}
