import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDue } from './kept-states.ts';

const INTERVAL = 120;

function dueHeights(everyCuts: number): number[] {
  return Array.from({ length: 1_000 }, (_, height) => height).filter((height) =>
    isDue(height, everyCuts, INTERVAL),
  );
}

test('a state is kept every so many cuts, and a cut later where an epoch ends', () => {
  assert.deepEqual(dueHeights(250), [250, 500, 750]);
  assert.deepEqual(dueHeights(200), [200, 400, 601, 800]);
  assert.deepEqual(dueHeights(240), [241, 481, 721, 961]);
  assert.deepEqual(dueHeights(0), []);
});
