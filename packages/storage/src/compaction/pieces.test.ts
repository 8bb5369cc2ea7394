import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBytes } from 'svc-wasm/base';
import type { KeyRange } from '../key-value/key-value-store.ts';
import { middleOf, piecesOf } from './pieces.ts';

/** Records of one size, of which a range has those whose keys are in it. */
function recordsOf(keys: readonly Uint8Array[], bytes: number) {
  const isIn = (key: Uint8Array, { from, to }: KeyRange) =>
    compareBytes(key, from) >= 0 && compareBytes(key, to) < 0;
  return {
    sizeOf: async (range: KeyRange) => bytes * keys.filter((key) => isIn(key, range)).length,
  };
}

test('the middle of two keys is between them, however close they are', () => {
  const pairs: [number[], number[]][] = [
    [[0x32], [0x36]],
    [[0x32], [0x33]],
    [[0x32, 0xff, 0xff], [0x33]],
    [
      [7, 1],
      [7, 1, 0, 1],
    ],
  ];
  for (const [from, to] of pairs) {
    const range = { from: Uint8Array.from(from), to: Uint8Array.from(to) };
    const middle = middleOf(range);
    assert.ok(
      compareBytes(range.from, middle) < 0 && compareBytes(middle, range.to) < 0,
      `${middle}`,
    );
  }
  assert.deepEqual(middleOf({ from: Uint8Array.of(2), to: Uint8Array.of(4) }), Uint8Array.of(3));
});

test('pieces follow one another, hold every key once and no more bytes than allowed', async () => {
  const crowded = Array.from({ length: 40 }, (_, at) => Uint8Array.of(0x32, 9, 9, 9, at));
  const spread = Array.from({ length: 60 }, (_, at) => Uint8Array.of(0x33, 4 * at));
  const store = recordsOf([...crowded, ...spread], 10);
  const range = { from: Uint8Array.of(0x32), to: Uint8Array.of(0x34) };
  let end: Uint8Array = range.from;
  let bytes = 0;
  for await (const piece of piecesOf(store, range, 75)) {
    assert.ok(compareBytes(end, piece.from) <= 0 && compareBytes(piece.from, piece.to) < 0);
    const size = await store.sizeOf(piece);
    assert.ok(size > 0 && size <= 75, `${size}`);
    bytes += size;
    end = piece.to;
  }
  assert.equal(bytes, 1_000);
});

test('a record that is larger than a piece is a piece, and halving it ends', async () => {
  const store = recordsOf([Uint8Array.of(0x32, 1)], 100);
  const range = { from: Uint8Array.of(0x32), to: Uint8Array.of(0x33) };
  const pieces = await Array.fromAsync(piecesOf(store, range, 75));
  assert.equal(pieces.length, 1);
});
