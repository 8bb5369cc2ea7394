import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionLimit } from './listener.ts';

const connections = (count: number) => Array.from({ length: count }, (_, at) => ({ at }));

test('the stranger that came first makes room, and who has a place never does', () => {
  const places = new ConnectionLimit<object>({ placesMax: 2, strangersMax: 1 });
  const [a, b, c, d, e] = connections(5) as [object, object, object, object, object];
  for (const one of [a, b, c]) assert.equal(places.enter(one), undefined);
  assert.equal(places.admit(a), true);
  assert.equal(places.enter(d), b);
  assert.equal(places.admit(b), false, 'it had to go');
  assert.equal(places.admit(c), true);
  assert.equal(places.admit(d), false, 'both places are taken');
  assert.equal(places.admit(a), true, 'it has its place');
  assert.equal(places.enter(e), d);
});

test('a place comes free with its connection, and with a token that is not valid any more', () => {
  const places = new ConnectionLimit<object>({ placesMax: 1, strangersMax: 1 });
  const [a, b, c, d] = connections(4) as [object, object, object, object];
  places.enter(a);
  places.enter(b);
  places.admit(a);
  places.leave(a);
  assert.equal(places.admit(b), true);
  places.dismiss(b);
  places.dismiss(c);
  assert.equal(places.enter(c), undefined);
  assert.equal(places.admit(c), true);
  assert.equal(places.enter(d), b);
});
