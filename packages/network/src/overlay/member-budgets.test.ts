import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { LINK } from './link-kinds.ts';
import { MemberBudgets } from './member-budgets.ts';

test('a validator whose link breaks ten times sends all records each time and is read at once, but not without end', () => {
  const budgets = new MemberBudgets(new ManualClock());
  const greet = (): number => {
    const waits = Array.from({ length: 127 }, () =>
      budgets.readBudgetOf('flapping').charge(LINK.record, 5_700),
    );
    return Math.max(...waits);
  };
  for (let link = 0; link < 10; link++) assert.equal(greet(), 0, `link ${link}`);
  for (let link = 10; link < 20; link++) greet();
  assert.ok(greet() > 0);
});
