import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK_BODY_BYTES_MAX, BLOCK_MASS_MAX } from '../../../ledger/src/parameters.ts';
import { nextBlock } from './next-block.ts';

const sizes = (...masses: readonly number[]) => masses.map((mass) => ({ mass, bytes: 100 }));

test('the best paid go into the next block until its mass is reached; a smaller one may still fit', () => {
  assert.deepEqual([...nextBlock([])], []);
  assert.deepEqual([...nextBlock(sizes(1, 2, 3))], [0, 1, 2]);
  assert.deepEqual([...nextBlock(sizes(120_000, 90_000, 80_000, 1))], [0, 2]);
});

test('the limits are those of the ledger, to the byte', () => {
  const mass = Number(BLOCK_MASS_MAX);
  assert.deepEqual([...nextBlock(sizes(mass, 1))], [0]);
  assert.deepEqual([...nextBlock(sizes(mass + 1, 1))], [1]);
  const wide = (bytes: number) => ({ mass: 1, bytes });
  assert.deepEqual([...nextBlock([wide(BLOCK_BODY_BYTES_MAX), wide(1)])], [0]);
  assert.deepEqual([...nextBlock([wide(BLOCK_BODY_BYTES_MAX + 1), wide(1)])], [1]);
});
