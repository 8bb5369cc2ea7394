import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstEmission, nextEmission } from '../../../ledger/src/rules/emission.ts';
import { emissionCurve, LAST_DAY } from './emission-curve.ts';

test('the curve is the emission of the ledger on every day, and ends on the day that issues the last atom', () => {
  const curve = emissionCurve(1);
  assert.equal(curve.length, LAST_DAY + 1);
  let state = firstEmission();
  let issued = 0n;
  for (const { day, issued: drawn } of curve.slice(1)) {
    issued += state.intervalAmount;
    assert.equal(drawn, issued, `day ${day}`);
    if (day < LAST_DAY) assert.ok(state.remaining > 0n, `day ${day}`);
    else assert.equal(state.remaining, 0n);
    state = nextEmission(state);
  }
  assert.equal(issued, 180_000_000n * 100_000_000n);
});

test('a coarser curve has the same days, and always the last', () => {
  const days = emissionCurve(1_000);
  assert.deepEqual(
    days.map(({ day }) => day),
    [...Array.from({ length: 13 }, (_, place) => place * 1_000), LAST_DAY],
  );
  const exact = new Map(emissionCurve(1).map(({ day, issued }) => [day, issued]));
  for (const { day, issued } of days) assert.equal(issued, exact.get(day));
});
