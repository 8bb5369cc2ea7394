import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventQueue } from './event-queue.ts';
import { Random } from './random.ts';

test('events come in the order of their times, and of their making where times are equal', () => {
  const random = new Random(1);
  const queue = new EventQueue<number>();
  const made = Array.from({ length: 500 }, (_, name) => ({ name, at: random.integer(0, 50) }));
  const due = made.toSorted((a, b) => a.at - b.at || a.name - b.name);
  for (const { name, at } of made) queue.push(name, at);
  for (const { name, at } of due) {
    assert.equal(queue.pop(), name);
    assert.equal(queue.time, at);
  }
  assert.equal(queue.pop(), undefined);
  assert.equal(queue.time, due.at(-1)?.at, 'an empty queue does not move time');
});

test('what is put back later comes after what was made before it', () => {
  const queue = new EventQueue<string>();
  queue.push('first', 1);
  queue.push('second', 2);
  const first = queue.pop();
  assert.equal(first, 'first');
  queue.push('first', 2);
  assert.deepEqual([queue.pop(), queue.pop(), queue.size], ['second', 'first', 0]);
});
