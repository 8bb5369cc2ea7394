import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fanout, SharedEvent } from './fanout.ts';

test('an event is serialised once, and framed once for everybody with the same number', () => {
  let serialised = 0;
  const data = {
    toJSON() {
      serialised++;
      return {};
    },
  };
  const event = new SharedEvent({ type: 'mempool', data: data as never });
  const frames = [1, 1, 2, 1].map((subscription) => event.frameFor(subscription));
  assert.equal(serialised, 1);
  assert.equal(new Set(frames).size, 2);
  const text =
    '{"type":"notification","data":{"subscription":1,"event":{"type":"mempool","data":{}}}}';
  assert.ok(frames[0]?.toString('latin1').endsWith(text));
});

test('a few targets are served at once, many over several turns, always in order', async () => {
  const fanout = new Fanout();
  const targets = Array.from({ length: 2_000 }, (_, index) => index);
  const got = targets.map((): string[] => []);
  const publish = (event: string, some: readonly number[]) =>
    fanout.publish(some, (target) => got[target]?.push(event));
  publish('first', [7]);
  assert.deepEqual(got[7], ['first']);
  publish('second', targets);
  publish('third', [7, 1_999]);
  assert.deepEqual(got[1_999], [], 'the thread is given back before everybody is served');
  while (got[1_999]?.length !== 2) await new Promise(setImmediate);
  assert.deepEqual(got[1_999], ['second', 'third']);
  assert.deepEqual(got[7], ['first', 'second', 'third']);
  assert.ok(got.every((events) => events.includes('second')));
});

test('targets are those that were there when the event came', async () => {
  const fanout = new Fanout();
  const targets = new Set(Array.from({ length: 1_000 }, (_, index) => index));
  const got: number[] = [];
  fanout.publish(targets, (target) => got.push(target));
  targets.add(5_000);
  while (got.length < 1_000) await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.ok(!got.includes(5_000));
});

test('what waits is bounded: beyond it, events go out before the next one is taken', () => {
  const fanout = new Fanout();
  const targets = Array.from({ length: 100_000 }, (_, index) => index);
  let delivered = 0;
  for (let i = 0; i < 10; i++) fanout.publish(targets, () => delivered++);
  assert.ok(10 * targets.length - delivered <= 1 << 18);
  fanout.stop();
});
