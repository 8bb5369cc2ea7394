/**
 * Cursors: where the next page continues, as text that only this API reads. A cursor names the version of its
 * form, the route and query that it was given for, and the height it was made at; one from elsewhere is
 * refused. It is not secret and not trusted: a position is checked like any other input.
 */
import { hash } from 'node:crypto';
import type { HistoryPosition } from 'svc-storage';
import { Refused } from '../../refusal.ts';

const VERSION = 1;
const BINDING_BYTES = 8;
const HEIGHT_BYTES = 6;
const INDEX_BYTES = 4;
const POSITION_AT = 1 + BINDING_BYTES + HEIGHT_BYTES;

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

/** What a cursor belongs to: a route, and the parts of its query that choose the rows. */
interface CursorScope {
  readonly route: string;
  readonly query: string;
}

function encodeCursor(scope: CursorScope, height: number, position: Uint8Array): string {
  const bytes = Buffer.alloc(POSITION_AT + position.length);
  bytes[0] = VERSION;
  bindingOf(scope).copy(bytes, 1);
  bytes.writeUIntBE(height, 1 + BINDING_BYTES, HEIGHT_BYTES);
  bytes.set(position, POSITION_AT);
  return bytes.toString('base64url');
}

/** The position in a cursor; `headHeight` is the head that is read now. */
function decodeCursor(
  scope: CursorScope,
  cursor: string,
  positionBytes: number,
  headHeight: number,
): Buffer {
  const bytes = Buffer.from(cursor, 'base64url');
  const isValid =
    bytes.length === POSITION_AT + positionBytes &&
    bytes.toString('base64url') === cursor &&
    bytes[0] === VERSION &&
    bytes.subarray(1, 1 + BINDING_BYTES).equals(bindingOf(scope)) &&
    bytes.readUIntBE(1 + BINDING_BYTES, HEIGHT_BYTES) <= headHeight;
  if (isValid) return bytes.subarray(POSITION_AT);
  throw new Refused('bad_cursor', 'expected a next_cursor of this route and query', {
    path: 'cursor',
  });
}

function bindingOf({ route, query }: CursorScope): Buffer {
  return Buffer.from(hash('sha256', `${route} ${query}`, 'hex'), 'hex').subarray(0, BINDING_BYTES);
}
