import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut, placeAt } from './areas.ts';

const ROOM = { width: 1_200, height: 270 };
const SIZES = [9_000, 4_000, 4_000, 3_000, 1_000, 1_000, 500, 1];

test('areas are as large as their sizes, fill the room, and a point finds its own', () => {
  const areas = layOut(
    SIZES.map((size) => ({ size })),
    ROOM,
  );
  const total = SIZES.reduce((sum, size) => sum + size, 0);
  for (const [place, { x, y, width, height }] of areas.entries()) {
    const share = (SIZES[place] as number) / total;
    assert.ok(Math.abs(width * height - share * ROOM.width * ROOM.height) < 1e-6);
    assert.ok(x >= 0 && x + width < ROOM.width + 1e-6 && y + height < ROOM.height + 1e-6);
    assert.equal(placeAt(areas, x + width / 2, y + height / 2), place);
  }
  assert.equal(areas.length, SIZES.length);
  assert.equal(placeAt(areas, ROOM.width + 1, 0), -1);
});

test('equal sizes become about squares, and nothing has no area', () => {
  const areas = layOut(Array(400).fill({ size: 10 }), ROOM);
  for (const { width, height } of areas.slice(0, -20)) {
    const ratio = width / height;
    assert.ok(ratio > 0.5 && ratio < 2, `${width} wide, ${height} high`);
  }
  assert.deepEqual(layOut([], ROOM), []);
});
