/**
 * The first key of a table file. A table starts with a data block, whose first entry shares nothing with
 * a key before it; its footer ends in a fixed number.
 */
import { closeSync, openSync, readSync } from 'node:fs';

const HEAD_BYTES = 4_096;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');

/** Undefined if the file is no table. */
export function firstKeyOf(path: string, size: number): Uint8Array | undefined {
  const head = Buffer.alloc(Math.min(HEAD_BYTES, size));
  const magic = Buffer.alloc(Math.min(MAGIC.length, size));
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
    readSync(file, magic, 0, magic.length, size - magic.length);
  } finally {
    closeSync(file);
  }
  if (!magic.equals(MAGIC)) return undefined;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      const byte = head[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    return value;
  };
  const shared = varint();
  const length = varint();
  varint();
  return shared === 0 ? head.subarray(at, at + length) : undefined;
}
