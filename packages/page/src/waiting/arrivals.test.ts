import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingTransaction, TopicEvent } from 'svc-api';
import { ManualClock } from 'svc-base/testing';
import { ARRIVALS_KEPT, Arrivals, DRAW_MILLIS } from './arrivals.ts';

/** A list that draws when the test moves its clock. */
function listOf() {
  const drawn: string[][] = [];
  const clock = new ManualClock();
  const arrivals = new Arrivals({
    draw: (waiting) => drawn.push(waiting.map(({ transaction_id }) => transaction_id)),
    clock,
  });
  const tell = (type: string, id: number): void =>
    arrivals.onEvent({
      type,
      data: { transaction_id: String(id) } as PendingTransaction,
    } as TopicEvent);
  return { arrivals, drawn, clock, tell };
}

test('a fullest cut of arrivals is one drawing of the newest, and its removals are another', () => {
  const { drawn, clock, tell } = listOf();
  const payments = 4_352;
  for (let id = 0; id < payments; id++) tell('mempool_transaction', id);
  assert.deepEqual([clock.pending, drawn.length], [1, 0]);
  clock.advance(DRAW_MILLIS);
  assert.equal(drawn[0]?.length, ARRIVALS_KEPT);
  assert.deepEqual(
    [drawn[0]?.[0], drawn[0]?.at(-1)],
    [payments - ARRIVALS_KEPT, payments - 1].map(String),
  );
  for (let id = 0; id < payments - ARRIVALS_KEPT; id++) tell('mempool_transaction_removed', id);
  assert.equal(clock.pending, 0, 'nothing that is shown has changed');
  for (let id = payments - ARRIVALS_KEPT; id < payments - 1; id++)
    tell('mempool_transaction_removed', id);
  assert.equal(clock.pending, 1);
  clock.advance(DRAW_MILLIS);
  assert.deepEqual(drawn[1], [String(payments - 1)]);
});

test('what may have left unnoticed is forgotten', () => {
  const { arrivals, drawn, clock, tell } = listOf();
  arrivals.clear();
  assert.equal(clock.pending, 0, 'nothing was shown');
  tell('mempool_transaction', 1);
  clock.advance(DRAW_MILLIS);
  arrivals.clear();
  tell('mempool_transaction', 2);
  clock.advance(DRAW_MILLIS);
  assert.deepEqual(drawn, [['1'], ['2']]);
});

test('a list that was stopped draws nothing more', () => {
  const { arrivals, clock, tell } = listOf();
  tell('mempool_transaction', 1);
  arrivals.stop();
  assert.equal(clock.pending, 0);
});
