import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RoutePorts, ServedNode } from './handler.ts';

/** Stands for the ports of one node: who answered is all that counts here. */
const portsOf = (name: string): RoutePorts => ({ services: { version: name } }) as RoutePorts;
const LONG_MILLIS = 600_000;

test('a node is left when its last request is answered, and the requests after it meet the next node', async () => {
  const served = new ServedNode();
  served.enter(portsOf('first'));
  const working = Promise.withResolvers<void>();
  const told: string[] = [];
  const ask = async (work?: Promise<void>): Promise<void> => {
    const { services } = await served.take();
    await work;
    told.push(services.version);
    served.release();
  };
  const early = ask(working.promise);
  const left = served.leave(LONG_MILLIS).then(() => told.push('left'));
  assert.equal(served.last.services.version, 'first');
  const late = ask();
  await new Promise(setImmediate);
  assert.deepEqual(told, []);
  working.resolve();
  await Promise.all([early, left]);
  assert.deepEqual(told.toSorted(), ['first', 'left']);
  served.enter(portsOf('second'));
  await late;
  assert.equal(told.at(-1), 'second');
});

test('a request that never ends does not keep a node for ever', async () => {
  const served = new ServedNode();
  served.enter(portsOf('first'));
  await served.take();
  await served.leave(1);
  await served.leave(LONG_MILLIS);
});
