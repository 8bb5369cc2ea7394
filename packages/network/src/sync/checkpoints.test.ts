import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkpointBelow, checkpointFrom } from './checkpoints.ts';

const RULES = { interval: 1_000, recoveredHeights: [700] };

test('checkpoints are every 576 cuts, the last cuts of epochs, and the cuts of recoveries', () => {
  const checkpoints = [576, 700, 1_000, 1_152, 1_728, 2_000];
  for (let height = 1; height <= 2_000; height++) {
    const below = checkpoints.findLast((checkpoint) => checkpoint < height) ?? 0;
    const from = checkpoints.find((checkpoint) => checkpoint >= height);
    assert.deepEqual(
      [checkpointBelow(height, RULES), checkpointFrom(height, RULES)],
      [below, from],
      `${height}`,
    );
  }
});
