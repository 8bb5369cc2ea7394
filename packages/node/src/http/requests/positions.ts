/**
 * Positions of pages in the bytes of a cursor.
 */
import type { HistoryPosition } from 'svc-storage';
import { type CursorScope, decodeCursor, encodeCursor } from './cursor.ts';

const HEIGHT_BYTES = 6;
const INDEX_BYTES = 4;

/** How positions of one kind are written; all have the same length. */
export interface PositionForm<T> {
  readonly bytes: number;
  write(position: T): Buffer;
  read(bytes: Buffer): T;
}

export const INDEX_POSITION: PositionForm<number> = {
  bytes: INDEX_BYTES,
  write(index) {
    const bytes = Buffer.alloc(INDEX_BYTES);
    bytes.writeUInt32BE(index);
    return bytes;
  },
  read: (bytes) => bytes.readUInt32BE(0),
};

export const HISTORY_POSITION: PositionForm<HistoryPosition> = {
  bytes: HEIGHT_BYTES + INDEX_BYTES,
  write({ height, index }) {
    const bytes = Buffer.alloc(HEIGHT_BYTES + INDEX_BYTES);
    bytes.writeUIntBE(height, 0, HEIGHT_BYTES);
    bytes.writeUInt32BE(index, HEIGHT_BYTES);
    return bytes;
  },
  read: (bytes) => ({
    height: bytes.readUIntBE(0, HEIGHT_BYTES),
    index: bytes.readUInt32BE(HEIGHT_BYTES),
  }),
};

/** Text of a fixed number of hexadecimal digits. */
export function hexPosition(digits: number): PositionForm<string> {
  return {
    bytes: digits / 2,
    write: (text) => Buffer.from(text, 'hex'),
    read: (bytes) => bytes.toString('hex'),
  };
}

/** Cursors of one route and query. */
export class Cursors<T> {
  readonly #scope: CursorScope;
  readonly #form: PositionForm<T>;

  constructor(route: string, query: string, form: PositionForm<T>) {
    this.#scope = { route, query };
    this.#form = form;
  }

  read(cursor: string | undefined, headHeight: number): T | undefined {
    if (cursor === undefined) return undefined;
    const { bytes } = this.#form;
    return this.#form.read(decodeCursor(this.#scope, cursor, bytes, headHeight));
  }

  /** The field `next_cursor` that leads to the next page; no field on the last page. */
  next(position: T | null, headHeight: number): { next_cursor?: string } {
    if (position === null) return {};
    return { next_cursor: encodeCursor(this.#scope, headHeight, this.#form.write(position)) };
  }
}
