import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { FairSlots } from './fair-slots.ts';

const PLACES = 8;
const PLACE_MILLIS = 1_000;

/** Connections named by their range and a number. */
function scene(perRangeMax?: number) {
  const clock = new ManualClock();
  const ended: string[] = [];
  const places = new FairSlots<string>({
    clock,
    placeMillis: PLACE_MILLIS,
    isFull: (taken) => taken >= PLACES,
    end: (name) => ended.push(name),
    ...(perRangeMax === undefined ? {} : { perRangeMax }),
  });
  const enter = (name: string): boolean => places.enter(name, name.charAt(0));
  return { clock, ended, places, enter };
}

test('silent connections of two ranges that come back at once do not keep a third range out', () => {
  const { clock, ended, places, enter } = scene();
  let count = 0;
  /** Each range comes as often as it likes, and leaves before its time to come back young. */
  const crowd = (): void => {
    for (const range of ['a', 'b']) for (let i = 0; i < 20; i++) enter(`${range}${count++}`);
  };
  for (let round = 0; round < 5; round++) {
    crowd();
    assert.ok(places.hasRoomFor('c'));
    assert.ok(enter(`c${round}`), 'a place at once');
    ended.length = 0;
    for (let step = 0; step < 4; step++) {
      clock.advance(PLACE_MILLIS / 2);
      for (const name of places.occupants) if (!name.startsWith('c')) places.leave(name);
      crowd();
    }
    assert.ok(places.occupants.includes(`c${round}`), 'kept while the others are many');
    places.leave(`c${round}`);
  }
});

test('among equals the oldest gives way when it has had its time, and none does before', () => {
  const { clock, ended, places, enter } = scene();
  for (const range of 'abcdefgh') {
    assert.ok(enter(`${range}1`));
    clock.advance(100);
  }
  assert.equal(places.hasRoomFor('x'), false);
  assert.equal(enter('x1'), false);
  clock.advance(PLACE_MILLIS - 800);
  assert.ok(enter('x1'));
  assert.equal(enter('y1'), false, 'the second has had less');
  assert.deepEqual(ended, ['a1']);
  clock.advance(60_000);
  assert.deepEqual(ended, ['a1'], 'no newcomer needs a slot');
});

test('a range beyond its own limit gets a place of its own oldest alone', () => {
  const { clock, ended, enter } = scene(2);
  assert.ok(enter('a1'));
  clock.advance(PLACE_MILLIS / 2);
  assert.ok(enter('a2'));
  assert.ok(enter('b1'));
  assert.equal(enter('a3'), false);
  clock.advance(PLACE_MILLIS / 2);
  assert.ok(enter('a3'));
  assert.equal(enter('a4'), false);
  assert.deepEqual(ended, ['a1']);
});
