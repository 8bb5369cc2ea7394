import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUESTION_UNITS, QuestionBudget } from './question-budget.ts';

test('who asks for more than a committee can need is not heard until time has passed, others are', () => {
  let now = 0;
  const budget = new QuestionBudget({
    monotonic: () => now,
    periodMillis: 300,
    units: QUESTION_UNITS,
  });
  let answered = 0;
  for (let asked = 0; asked < 1_000; asked++)
    if (budget.mayAsk('greedy')) {
      answered += 1;
      budget.charge('greedy', 128);
    }
  assert.equal(answered, 6);
  assert.equal(budget.mayAsk('other'), true);
  now += 300;
  assert.equal(budget.mayAsk('greedy'), true);
  now += 30_000;
  for (let asked = 0; asked < 3; asked++) assert.equal(budget.mayAsk('greedy'), true);
});
