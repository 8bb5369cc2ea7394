/**
 * One trial of the drill with a copied data folder; `copied-folder.ts` runs many.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HAS_NAMESPACES, runTrial } from './copied-folder.ts';

const PATIENCE_MILLIS = 1_200_000;

test("a copy of a running validator's folder signs nothing beside it, and the validator is not removed", {
  timeout: PATIENCE_MILLIS,
}, async () => {
  const outcome = await runTrial(0, 0);
  const { original, copy, isRemoved, signing } = outcome;
  assert.equal(isRemoved, false, JSON.stringify(outcome));
  assert.ok(signing <= 1, JSON.stringify(outcome));
  if (HAS_NAMESPACES) assert.ok([original, copy].includes('stopped'), JSON.stringify(outcome));
  else assert.deepEqual([original, copy], ['active', 'refused: the key is locked']);
});
