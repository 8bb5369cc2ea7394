import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

const ROOM = 60;
const SENDERS = 6;
const senders = fc.integer({ min: 0, max: SENDERS - 1 }).map(String);

interface Item {
  readonly sender: string;
  readonly number: number;
  readonly units: number;
}

function drain<T>(queue: FairQueue<T>): T[] {
  const items: T[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

test('senders take turns, and the items of each come out as they went in', () => {
  const queue = new FairQueue<string>(ROOM);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item[0] ?? '', item, 1);
  assert.equal(queue.length, 6);
  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  assert.equal(queue.shift(), undefined);
});

test('a full queue has the first items of each sender, of none more than one beyond those who lost some', () => {
  fc.assert(
    fc.property(fc.array(senders, { maxLength: 400 }), (order) => {
      const queue = new FairQueue<Item>(ROOM);
      const sent = new Map<string, number>();
      let dropped = 0;
      for (const sender of order) {
        const number = sent.get(sender) ?? 0;
        sent.set(sender, number + 1);
        dropped += queue.push(sender, { sender, number, units: 1 }, 1);
      }
      assert.equal(dropped, Math.max(0, order.length - ROOM));
      const kept = Map.groupBy(drain(queue), ({ sender }) => sender);
      const most = Math.max(0, ...kept.values().map(({ length }) => length));
      for (const [sender, count] of sent) {
        const items = kept.get(sender) ?? [];
        assert.ok(items.every(({ number }, at) => number === at));
        assert.ok(items.length === count || items.length >= most - 1, `${sender}: ${items.length}`);
      }
    }),
    { numRuns: 300 },
  );
});

const steps = fc.array(
  fc.record({
    sender: senders,
    units: fc.integer({ min: 1, max: 9 }),
    leave: fc.constantFrom(0, 0, 0, 1, 2, 100),
  }),
  { maxLength: 300 },
);

test('a sender within its share loses nothing, and no more is held than there is room for', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const queue = new FairQueue<Item>(ROOM);
      const held = new Map<string, Item[]>();
      /** What a sender has here if it never used more than its share. */
      const light = new Set(Array.from({ length: SENDERS }, (_, index) => `${index}`));
      const expectLeaves = (item: Item | undefined): void => {
        if (item === undefined) return;
        const own = held.get(item.sender) ?? [];
        while (own.length > 0 && own[0] !== item) {
          assert.ok(!light.has(item.sender), 'within its share, and lost');
          own.shift();
        }
        assert.equal(own.shift(), item, 'in order');
      };
      for (const [number, { sender, units, leave }] of taken.entries()) {
        const item = { sender, number, units };
        const own = [...(held.get(sender) ?? []), item];
        held.set(sender, own);
        if (own.reduce((sum, one) => sum + one.units, 0) > ROOM / SENDERS) light.delete(sender);
        queue.push(sender, item, units);
        for (let more = 0; more < leave; more++) expectLeaves(queue.shift());
      }
      const rest = drain(queue);
      assert.ok(rest.reduce((sum, { units }) => sum + units, 0) <= ROOM);
      for (const item of rest) expectLeaves(item);
      for (const sender of light) assert.deepEqual(held.get(sender) ?? [], []);
    }),
    { numRuns: 500 },
  );
});

test('an item larger than all the room is dropped alone', () => {
  const queue = new FairQueue<string>(ROOM);
  queue.push('a', 'a1', 1);
  assert.equal(queue.push('b', 'b1', ROOM + 1), 1);
  assert.deepEqual(drain(queue), ['a1']);
});
