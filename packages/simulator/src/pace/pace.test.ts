/**
 * The pace of a full committee on an ordinary network, over few cuts; `main.ts` measures more.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measurePace } from './scenario.ts';

const ordinary = {
  name: '',
  validators: 64,
  cuts: 15,
  delayMeanMs: 100,
  lossRate: 0,
  unrouted: 0,
  absentShare: 0,
};

test('64 validators keep 2,500 ms, decide within 450 ms and send what the design says', () => {
  const figures = measurePace(ordinary);
  assert.ok(Math.abs(figures.meanIntervalMs - 2500) < 5, `${figures.meanIntervalMs}`);
  assert.ok(figures.firstMsP50 <= 350 && figures.firstMsP95 <= 450);
  assert.ok(figures.decideMsP50 <= 350 && figures.decideMsP95 <= 450);
  assert.ok(
    Math.abs(figures.kibPerValidatorAndCut - 423) < 42.3,
    `${figures.kibPerValidatorAndCut}`,
  );
  assert.equal(figures.cutsBeyondFirstRound, 0);
});

test('20 without a route and 5 % loss cost no round', () => {
  const figures = measurePace({ ...ordinary, unrouted: 20, lossRate: 0.05 });
  assert.ok(Math.abs(figures.meanIntervalMs - 2500) < 10, `${figures.meanIntervalMs}`);
  assert.ok(figures.firstMsP50 <= 400 && figures.firstMsP95 <= 450);
  assert.equal(figures.cutsBeyondFirstRound, 0);
});
