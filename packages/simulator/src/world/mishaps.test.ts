/**
 * Two processes of one key that no rule can tell apart end a run or are not started; campaigns found these seeds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { runLedgerSeed, runSeed } from '../campaign/levels.ts';

test('a copy whose original no header names while it listens ends the run without a verdict', () => {
  const { failure, abandoned } = runSeed(20_105_439, { validatorsMin: 3, validatorsMax: 7 });
  assert.equal(failure, undefined);
  assert.equal(abandoned, 1);
});

test('a copy with an old record whose original no header names during its silence ends the run without a verdict', () => {
  const { failure, abandoned } = runSeed(20_999_773, { validatorsMin: 3, validatorsMax: 7 });
  assert.equal(failure, undefined);
  assert.equal(abandoned, 1);
});

test('no second process of a key starts beside a restored one that listens', async () => {
  await init();
  const { failure, abandoned } = runLedgerSeed(4_006_911, {
    validatorsMin: 4,
    validatorsMax: 7,
  });
  assert.equal(failure, undefined);
  assert.equal(abandoned, 0);
});
