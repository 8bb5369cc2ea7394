import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobBook, JobSeries } from '../jobs/job-book.ts';
import { GivenJobs } from './given-jobs.ts';

const content = (anchorHeight: number) => ({
  header: new Uint8Array(312),
  blockTarget: new Uint8Array(32),
  anchorHeight,
  expiresHeight: anchorHeight + 96,
  period: 0,
});
const target = (byte: number) => new Uint8Array(32).fill(byte);

test('a session has the jobs that it was given, with the target of each, and none between or beside them', () => {
  const jobs = new JobBook({ first: 2 ** 32 - 3 });
  const [ours, others] = [new JobSeries(), new JobSeries()];
  const given = new GivenJobs(jobs);
  const numbers = Array.from({ length: 8 }, () => jobs.add(content(1), ours).number);
  const foreign = jobs.add(content(1), others).number;
  for (const place of [1, 2, 3]) given.add(numbers[place] as number, target(1));
  for (const place of [5, 6]) given.add(numbers[place] as number, target(2));
  assert.deepEqual(
    numbers.map((number) => given.termsOf(number)?.target[0]),
    [undefined, 1, 1, 1, undefined, 2, 2, undefined],
  );
  assert.equal(given.termsOf(foreign), undefined);
  given.add(foreign, target(3));
  assert.equal(given.termsOf(foreign)?.target[0], 3);
  assert.equal(
    given.termsOf(numbers[1] as number)?.target[0],
    1,
    'the jobs before are still there',
  );
});

test('a job that is given again has the target that it was given with last', () => {
  const jobs = new JobBook();
  const given = new GivenJobs(jobs);
  const series = new JobSeries();
  const [first, second] = [jobs.add(content(1), series), jobs.add(content(1), series)];
  given.add(first.number, target(1));
  given.add(second.number, target(1));
  given.add(second.number, target(1));
  given.add(second.number, target(2));
  assert.deepEqual(
    [first, second].map(({ number }) => given.termsOf(number)?.target[0]),
    [1, 2],
  );
});

test('a session has an open job until the last one ends, and knows jobs that ended', () => {
  const jobs = new JobBook();
  const given = new GivenJobs(jobs);
  const series = new JobSeries();
  assert.equal(given.hasOpen, false);
  const [first, second] = [jobs.add(content(1), series), jobs.add(content(2), series)];
  given.add(first.number, target(1));
  given.add(second.number, target(2));
  jobs.advance(96);
  assert.equal(jobs.get(first.number), undefined);
  assert.equal(given.hasOpen, true);
  assert.equal(given.termsOf(first.number)?.target[0], 1, 'shares of it are late, not lies');
  jobs.advance(97);
  assert.equal(given.hasOpen, false);
  given.add(second.number, target(3));
  assert.equal(given.hasOpen, false, 'an ended job does not open again');
});

test('thousands of changes of the target keep the newest jobs', () => {
  const jobs = new JobBook();
  const given = new GivenJobs(jobs);
  const series = new JobSeries();
  const numbers = Array.from({ length: 2_000 }, () => jobs.add(content(1), series).number);
  for (const [place, number] of numbers.entries()) given.add(number, target(place % 250));
  assert.equal(given.termsOf(numbers[1_999] as number)?.target[0], 1_999 % 250);
  assert.equal(given.termsOf(numbers[1_800] as number)?.target[0], 1_800 % 250);
  assert.equal(given.termsOf(numbers[0] as number), undefined);
});
