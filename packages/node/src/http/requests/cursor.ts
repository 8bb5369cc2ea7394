/**
 * Cursors: where the next page goes on, as text that only this API reads. A cursor names the version of its
 * form, the route and query that it was given for, and the height it was made at; one from elsewhere is
 * refused. It is not secret and not trusted: a position is checked like any other input.
 */
import { hash } from 'node:crypto';
import { Refused } from '../../refusal/refused.ts';

const VERSION = 1;
const BINDING_BYTES = 8;
const HEIGHT_BYTES = 6;
const POSITION_AT = 1 + BINDING_BYTES + HEIGHT_BYTES;

/** What a cursor belongs to: a route, and the parts of its query that choose the rows. */
export interface CursorScope {
  readonly route: string;
  readonly query: string;
}

export function encodeCursor(scope: CursorScope, height: number, position: Uint8Array): string {
  const bytes = Buffer.alloc(POSITION_AT + position.length);
  bytes[0] = VERSION;
  bindingOf(scope).copy(bytes, 1);
  bytes.writeUIntBE(height, 1 + BINDING_BYTES, HEIGHT_BYTES);
  bytes.set(position, POSITION_AT);
  return bytes.toString('base64url');
}

/** The position in a cursor; `headHeight` is the head that is read now. */
export function decodeCursor(
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
