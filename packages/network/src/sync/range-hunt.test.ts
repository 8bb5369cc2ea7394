import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RangeHunt } from './range-hunt.ts';
import type { SyncPeer } from './sync-peer.ts';

const OFFER = { height: 8, manifestId: 'ab'.repeat(48) };
const MINUTE = 60_000;
const IMPATIENCE = 3_000;
const [A, B] = [{ name: 'a' }, { name: 'b' }] as unknown as [SyncPeer, SyncPeer];
const ALONE = { helpers: 1, hasOther: false };
const BESIDE = { helpers: 1, hasOther: true };
const NO_HELPER = { helpers: 0, hasOther: true };

function huntFor(...missing: number[]): RangeHunt {
  return new RangeHunt(OFFER, 10, missing, 0);
}

test('who was asked for a range in vain is asked for others, and for that one only later', () => {
  const hunt = huntFor(3, 4);
  assert.deepEqual(hunt.next([A], 0, IMPATIENCE), { index: 3, from: new Set([A]) });
  hunt.began(3, A, 0);
  hunt.lacked(3, A, 0);
  hunt.ended(3, A);
  assert.deepEqual(hunt.next([A], 0, IMPATIENCE), { index: 4, from: new Set([A]) });
  assert.deepEqual(hunt.next([A, B], 0, IMPATIENCE), { index: 3, from: new Set([B]) });
  assert.equal(hunt.next([], 0, IMPATIENCE), undefined);
  hunt.proven(4, 0);
  assert.deepEqual([hunt.canHelp(A, 0), hunt.canHelp(B, 0)], [false, true]);
  assert.equal(hunt.next([A], MINUTE, IMPATIENCE), undefined);
  assert.ok(hunt.canHelp(A, 2 * MINUTE));
});

test('a state whose peers all failed once is kept: they are asked again before it counts as lost', () => {
  const hunt = huntFor(3);
  assert.ok(!hunt.isHopeless(0, BESIDE));
  for (const peer of [A, B]) {
    hunt.began(3, peer, 0);
    hunt.failed(3, peer, 0);
    hunt.ended(3, peer);
  }
  const helpers = (now: number): number => [A, B].filter((one) => hunt.canHelp(one, now)).length;
  assert.equal(helpers(0), 0, 'not at once');
  for (let now = 0; now <= 2 * MINUTE; now += 1_000)
    assert.ok(!hunt.isHopeless(now, { helpers: helpers(now), hasOther: true }), `${now}`);
  assert.equal(hunt.next([A, B], MINUTE, IMPATIENCE)?.from.size, 2);
  hunt.lacked(3, A, MINUTE);
  hunt.failed(3, A, MINUTE);
  assert.ok(!hunt.canHelp(A, 2 * MINUTE), 'an answer counts for longer than a failure');
});

test('a range that is late is asked of others, once every other one is asked for', () => {
  const hunt = huntFor(3, 4);
  hunt.began(3, A, 0);
  assert.equal(hunt.next([A, B], IMPATIENCE, IMPATIENCE)?.index, 4);
  hunt.began(4, A, 0);
  assert.equal(hunt.next([A, B], IMPATIENCE - 1, IMPATIENCE), undefined);
  assert.deepEqual(hunt.next([A, B], IMPATIENCE, IMPATIENCE), { index: 3, from: new Set([B]) });
});

test('a state that no peer has is abandoned a minute after there is another', () => {
  const hunt = huntFor(3);
  assert.ok(!hunt.isHopeless(60 * MINUTE, { ...NO_HELPER, hasOther: false }));
  assert.ok(!hunt.isHopeless(61 * MINUTE, NO_HELPER), 'its peers may be coming back too');
  assert.ok(!hunt.isHopeless(62 * MINUTE, NO_HELPER));
  assert.ok(hunt.isHopeless(62 * MINUTE + 1, NO_HELPER));
  assert.ok(!hunt.isHopeless(62 * MINUTE + 2, BESIDE));
});

test('a state of which nothing arrives is abandoned after five minutes, whichever peers claim to have it', () => {
  const hunt = huntFor(3, 4);
  for (let minute = 0; minute < 60; minute++) assert.ok(!hunt.isHopeless(minute * MINUTE, ALONE));
  assert.ok(!hunt.isHopeless(60 * MINUTE, BESIDE));
  hunt.proven(3, 62 * MINUTE);
  assert.ok(!hunt.isHopeless(67 * MINUTE, BESIDE), 'something came meanwhile');
  assert.ok(hunt.isHopeless(67 * MINUTE + 1, BESIDE));
  assert.ok(!hunt.isHopeless(67 * MINUTE + 1, ALONE), 'there is nothing to take instead');
});
