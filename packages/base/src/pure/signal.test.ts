import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Signal } from './signal.ts';

test('listeners are called in their order until they unsubscribe, one that came twice twice', () => {
  const signal = new Signal<number>();
  const told: string[] = [];
  const twice = (event: number): void => void told.push(`twice ${event}`);
  const endFirst = signal.on((event) => {
    told.push(`first ${event}`);
    endFirst();
  });
  const endTwice = signal.on(twice);
  signal.on(twice);
  signal.emit(1);
  endTwice();
  signal.emit(2);
  assert.deepEqual(told, ['first 1', 'twice 1', 'twice 1', 'twice 2']);
});

test('what a listener throws reaches the emitter', () => {
  const signal = new Signal<void>();
  signal.on(() => {
    throw new Error('broken listener');
  });
  assert.throws(() => signal.emit(), /broken listener/);
});
