import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RandomPieces } from './random-pieces.ts';

test('no piece is lent twice, none is empty, and each is wiped when it was used', () => {
  const pieces = new RandomPieces(32);
  const seen = new Set<string>();
  const lent: Uint8Array[] = [];
  const count = 100;
  for (let used = 0; used < count; used++) {
    pieces.use((piece) => {
      assert.equal(piece.length, 32);
      seen.add(piece.toString());
      lent.push(piece);
    });
    assert.ok(lent.at(-1)?.every((byte) => byte === 0));
  }
  assert.equal(seen.size, count);
  assert.equal(seen.has(new Uint8Array(32).toString()), false);
});

test('a piece is wiped although whoever used it failed, and is not lent again', () => {
  const pieces = new RandomPieces(32);
  let failed: Uint8Array | undefined;
  const fail = () =>
    pieces.use((piece) => {
      failed = piece;
      throw new Error('no');
    });
  assert.throws(fail, /no/);
  assert.ok(failed?.every((byte) => byte === 0));
  pieces.use((piece) => {
    assert.notEqual(piece.byteOffset, failed?.byteOffset);
    assert.ok(piece.some((byte) => byte !== 0));
  });
});
