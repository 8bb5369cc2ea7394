import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingTransaction, TopicEvent } from 'svc-api';
import { ARRIVALS_KEPT, Arrivals, DRAW_MILLIS } from './arrivals.ts';

/** A list that draws when it is told that its time has come. */
function listOf() {
  const drawn: string[][] = [];
  const due: { readonly act: () => void; readonly millis: number }[] = [];
  const arrivals = new Arrivals({
    draw: (waiting) => drawn.push(waiting.map(({ transaction_id }) => transaction_id)),
    later: (act, millis) => {
      const entry = { act, millis };
      due.push(entry);
      return () => due.splice(due.indexOf(entry), 1);
    },
  });
  const tell = (type: string, id: number): void =>
    arrivals.onEvent({
      type,
      data: { transaction_id: String(id) } as PendingTransaction,
    } as TopicEvent);
  return { arrivals, drawn, due, tell };
}

test('a fullest cut of arrivals is one drawing of the newest, and its removals are another', () => {
  const { drawn, due, tell } = listOf();
  const payments = 4_352;
  for (let id = 0; id < payments; id++) tell('mempool_transaction', id);
  assert.deepEqual([due.length, due[0]?.millis, drawn.length], [1, DRAW_MILLIS, 0]);
  due.pop()?.act();
  assert.equal(drawn[0]?.length, ARRIVALS_KEPT);
  assert.deepEqual(
    [drawn[0]?.[0], drawn[0]?.at(-1)],
    [payments - ARRIVALS_KEPT, payments - 1].map(String),
  );
  for (let id = 0; id < payments - ARRIVALS_KEPT; id++) tell('mempool_transaction_removed', id);
  assert.equal(due.length, 0, 'nothing that is shown has changed');
  for (let id = payments - ARRIVALS_KEPT; id < payments - 1; id++)
    tell('mempool_transaction_removed', id);
  assert.equal(due.length, 1);
  due.pop()?.act();
  assert.deepEqual(drawn[1], [String(payments - 1)]);
});

test('a list that was stopped draws nothing more', () => {
  const { arrivals, due, tell } = listOf();
  tell('mempool_transaction', 1);
  arrivals.stop();
  assert.equal(due.length, 0);
});
