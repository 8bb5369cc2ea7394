/**
 * Cuts a range of keys into pieces whose files have a bounded size, by halving it where it is too large: keys need not
 * be spread evenly, and nothing has to be read.
 */
import type { KeyRange, KeyValueStore } from '../key-value/key-value-store.ts';

/** Halvings of one range at most: more would separate keys that have 48 bytes in common. */
const HALVINGS_MAX = 384;

export async function* piecesOf(
  store: Pick<KeyValueStore, 'sizeOf'>,
  range: KeyRange,
  bytesMax: number,
): AsyncGenerator<KeyRange> {
  const waiting = [{ range, halvings: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { range: piece, halvings } = next;
    const bytes = await store.sizeOf(piece);
    if (bytes === 0) continue;
    if (bytes <= bytesMax || halvings === HALVINGS_MAX) {
      yield piece;
      continue;
    }
    const middle = middleOf(piece);
    waiting.push({ range: { from: middle, to: piece.to }, halvings: halvings + 1 });
    waiting.push({ range: { from: piece.from, to: middle }, halvings: halvings + 1 });
  }
}

/** A key half way between two, as fractions whose digits are bytes: one byte longer where that is needed. */
export function middleOf({ from, to }: KeyRange): Uint8Array {
  const length = Math.max(from.length, to.length) + 1;
  const middle = (fractionOf(from, length) + fractionOf(to, length)) >> 1n;
  const bytes = Buffer.from(middle.toString(16).padStart(2 * length, '0'), 'hex');
  let end = length;
  while (end > from.length && bytes[end - 1] === 0) end--;
  return new Uint8Array(bytes.subarray(0, end));
}

function fractionOf(key: Uint8Array, length: number): bigint {
  return BigInt(
    `0x${Buffer.from(key)
      .toString('hex')
      .padEnd(2 * length, '0')}`,
  );
}
