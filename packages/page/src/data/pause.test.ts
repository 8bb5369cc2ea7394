import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { pause } from './pause.ts';

test('pauses that are over leave no listener at the signal that could have ended them', async () => {
  const ending = new AbortController();
  for (let count = 0; count < 10; count++) await pause(1, ending.signal);
  assert.equal(getEventListeners(ending.signal, 'abort').length, 0);
});

test('a signal ends a pause at once, before and after it has begun', async () => {
  const ending = new AbortController();
  const long = pause(1_000_000_000, ending.signal);
  ending.abort();
  await long;
  await pause(1_000_000_000, ending.signal);
  assert.equal(getEventListeners(ending.signal, 'abort').length, 0);
});
