import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { HashBudget, LOCAL_SOURCE } from './hash-budget.ts';

function takeAll(budget: HashBudget, source: string): number {
  let taken = 0;
  while (taken < 10_000 && budget.charge(source)) taken++;
  return taken;
}

test('a source spends its own budget, and all together the common one', () => {
  const clock = new ManualClock();
  const budget = new HashBudget(clock, { burst: 4, perSecond: 2 }, { burst: 6, perSecond: 3 });
  assert.equal(takeAll(budget, 'a'), 4);
  assert.equal(takeAll(budget, 'b'), 2);
  assert.equal(takeAll(budget, 'c'), 0);
  assert.equal(takeAll(budget, LOCAL_SOURCE), 4);
  clock.advance(1_000);
  assert.equal(takeAll(budget, 'a'), 2);
  assert.equal(takeAll(budget, 'b'), 1);
  clock.advance(60_000);
  assert.equal(takeAll(budget, 'a'), 4);
});

test('what held costs nothing, and a wall clock that is set gives nothing', () => {
  const clock = new ManualClock();
  const budget = new HashBudget(clock, { burst: 2, perSecond: 1 }, { burst: 2, perSecond: 1 });
  for (let block = 0; block < 100; block++) {
    assert.ok(budget.charge('a'));
    budget.giveBack('a');
  }
  assert.equal(takeAll(budget, 'a'), 2);
  for (const jumpMillis of [-60_000, 7_200_000]) {
    clock.setWall(clock.now() + jumpMillis);
    assert.equal(takeAll(budget, 'a'), 0);
  }
});

test('many sources do not grow it without end', () => {
  const budget = new HashBudget(
    new ManualClock(),
    { burst: 1, perSecond: 0 },
    { burst: 1e9, perSecond: 0 },
  );
  assert.ok(budget.charge('first'));
  assert.ok(!budget.charge('first'));
  for (let source = 0; source < 1_024; source++) budget.charge(`source ${source}`);
  assert.ok(budget.charge('first'), 'the oldest was forgotten');
});
