import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BanBook } from './ban-book.ts';

test('offences add up to a ban, which ends, and is longer the next time', () => {
  const book = new BanBook({ pointsMax: 50, banMillis: 1_000, fadeMillis: 1_000 });
  assert.equal(book.record('a', 'protocol', 0), false);
  assert.equal(book.record('a', 'protocol', 0), true);
  assert.equal(book.isBanned('a', 999), true);
  assert.equal(book.isBanned('b', 0), false);
  assert.deepEqual(book.active(0), [{ source: 'a', untilMillis: 1_000 }]);
  assert.equal(book.isBanned('a', 1_000), false);
  book.record('a', 'protocol', 1_000);
  assert.equal(book.record('a', 'protocol', 1_000), true);
  assert.equal(book.isBanned('a', 2_999), true);
  assert.equal(book.bans, 2);
});

test('a miner that errs now and then is never banned: points fade', () => {
  const book = new BanBook({ pointsMax: 10, fadeMillis: 1_000 });
  for (let now = 0; now < 1_000_000; now += 5_000)
    assert.equal(book.record('a', 'low_difficulty', now), false);
});

test('the memory of sources is bounded, and the newest stay', () => {
  const book = new BanBook({ pointsMax: 25, sourcesMax: 3 });
  for (const source of ['a', 'b', 'c', 'd']) book.record(source, 'protocol', 0);
  assert.equal(book.isBanned('a', 1), false);
  assert.equal(book.isBanned('d', 1), true);
  assert.equal(book.active(1).length, 3);
});
