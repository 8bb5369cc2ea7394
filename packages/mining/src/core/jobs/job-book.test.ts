import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerWith, JobBook, JobSeries } from './job-book.ts';
import { judgeShare } from './judge-share.ts';

const content = (anchorHeight: number) => ({
  header: new Uint8Array(312).fill(9, 0, 288),
  blockTarget: new Uint8Array(32).fill(0x10),
  anchorHeight,
  expiresHeight: anchorHeight + 96,
  period: 0,
});
const nonce = (byte: number) => new Uint8Array(24).fill(byte);

test('a job ends when no cut to come can register its block, and heights alone decide', () => {
  const book = new JobBook();
  const job = book.add(content(10), new JobSeries());
  assert.equal(book.advance(104), 0);
  assert.equal(book.stateOf(job), 'open');
  assert.equal(book.advance(105), 1);
  assert.equal(book.stateOf(job), 'stale');
  assert.equal(book.get(job.number), undefined);
  assert.equal(book.advance(10), 0, 'a node that is behind opens nothing again');
  assert.equal(book.height, 105);
});

test('a nonce counts once for a job, and again only if it was not checked', () => {
  const book = new JobBook({ noncesMax: 3 });
  const [first, second] = [
    book.add(content(1), new JobSeries()),
    book.add(content(1), new JobSeries()),
  ];
  assert.equal(book.remember(first, nonce(1)), true);
  assert.equal(book.remember(first, nonce(1)), false);
  assert.equal(book.remember(second, nonce(1)), true);
  book.forget(first, nonce(1));
  assert.equal(book.remember(first, nonce(1)), true);
  assert.equal(book.remember(first, nonce(2)), true);
  assert.equal(book.remember(first, nonce(3)), undefined, 'no room');
  book.advance(1_000);
  assert.equal(
    book.remember(book.add(content(1_000), new JobSeries()), nonce(3)),
    true,
    'ended jobs give room back',
  );
});

test('of too many jobs the oldest is forgotten; numbers go round', () => {
  const book = new JobBook({ jobsMax: 2, first: 2 ** 32 - 1 });
  const [a, b, c] = [
    book.add(content(1), new JobSeries()),
    book.add(content(1), new JobSeries()),
    book.add(content(1), new JobSeries()),
  ];
  assert.deepEqual([a.number, b.number, c.number], [2 ** 32 - 1, 0, 1]);
  assert.equal(book.get(a.number), undefined);
  assert.equal(book.size, 2);
});

test('a body serves for one block: the first hash that meets the target is it, and the job ends with the next cut', () => {
  const book = new JobBook();
  const job = book.add(content(10), new JobSeries());
  const share = { job, shareTarget: new Uint8Array(32).fill(0x20) };
  const hash = (byte: number) => new Uint8Array(32).fill(byte);
  assert.equal(judgeShare(book, share, hash(0x21)), 'low_difficulty');
  assert.equal(judgeShare(book, share, hash(0x20)), 'share');
  assert.equal(judgeShare(book, share, hash(0x10)), 'block');
  assert.equal(judgeShare(book, share, hash(0x0f)), 'used_block');
  assert.equal(book.stateOf(job), 'used');
  book.advance(11);
  assert.equal(book.stateOf(job), 'stale');
});

test("the header that is hashed is the server's own with the nonce at its end", () => {
  const header = headerWith(content(1), nonce(7));
  assert.deepEqual([...header.subarray(280, 296)], [...Array(8).fill(9), ...Array(8).fill(7)]);
  assert.equal(header.length, 312);
});
