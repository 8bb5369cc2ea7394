/**
 * A body of transactions in bytes: one after the other, each with its length before it. Their own form is not looked at here.
 */
import { SUBMISSIONS_MAX } from 'svc-api';
import { isRefusal, Reader } from 'svc-wasm/base';
import { Refused } from '../../refusal/refused.ts';
import { BODY_BYTES_MAX } from './json-body.ts';

const PATH = 'body';

/** The transactions, in memory of their own; a body that is malformed is refused whole. */
export function readWires(body: Uint8Array): readonly Uint8Array[] {
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
