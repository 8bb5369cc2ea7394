/**
 * Bodies: JSON in UTF-8, uncompressed, read by the strict reader of the protocol module; or transactions in bytes, one after
 * the other, each with its length before it.
 */
import type { IncomingMessage } from 'node:http';
import { type Route, SUBMISSIONS_MAX } from 'svc-api';
import { isRefusal, type Json, parseJson, Reader } from 'svc-wasm/base';
import { type Refusal, Refused } from '../../refusal/refused.ts';

export const BODY_BYTES_MAX = 128 * 1024;

const MEDIA_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Why the headers that describe the body of a route are refused. */
export function bodyHeadersFault(
  { headers }: IncomingMessage,
  { bytes }: Pick<Route, 'bytes'> = {},
): Refusal | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return { code: 'unsupported_media_type', message: 'expected a body that is not compressed' };
  }
  const media = headers['content-type'] ?? '';
  if (MEDIA_TYPE.test(media) || media === bytes?.media) return undefined;
  return { code: 'unsupported_media_type', message: 'expected content-type application/json' };
}

/** Whether a request that takes no body has one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

export function readJsonBody(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw new Refused('bad_json', 'expected UTF-8');
  }
  return parseJson(text);
}

const PATH = 'body';

/** The transactions, in memory of their own; a body that is malformed is refused whole. */
export function readWiresBody(body: Uint8Array): readonly Uint8Array[] {
  const reader = new Reader(body);
  const wires: Uint8Array[] = [];
  while (reader.offset < body.length) {
    if (wires.length === SUBMISSIONS_MAX) {
      const message = `expected at most ${SUBMISSIONS_MAX} items`;
      throw new Refused('too_many_items', message, { path: PATH });
    }
    wires.push(nextWire(reader));
  }
  if (wires.length > 0) return wires;
  throw new Refused('too_few_items', 'expected at least 1 items', { path: PATH });
}

function nextWire(reader: Reader): Uint8Array {
  const start = reader.offset;
  try {
    const wire = reader.counted(BODY_BYTES_MAX);
    if (wire.length > 0) return wire;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const message = `expected the length of a transaction and so many bytes at offset ${start}`;
  throw new Refused('bad_length', message, { path: PATH });
}
