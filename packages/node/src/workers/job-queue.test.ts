import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Job, JobQueue, type Priority } from './job-queue.ts';
import { type JobKind, packedBytes, packParts, unpackParts } from './thread-messages.ts';

const LIMITS = { jobs: 4, bytes: 100 };

function job(
  bytes: number,
  priority: Priority = 'submission',
  kind: JobKind = 'transactions',
): Job {
  const nothing = () => {};
  return { kind, priority, parts: [], bytes, deaths: 0, resolve: nothing, reject: nothing };
}

test('a batch is of one line and one kind, and ends at its limits', () => {
  const queue = new JobQueue(1_000);
  const submissions = [30, 30, 30, 30, 10, 10].map((bytes) => job(bytes));
  const large = job(500, 'block');
  const messages = [job(10, 'block', 'messages'), job(10, 'block', 'messages')];
  for (const each of [...submissions, large, ...messages]) queue.push(each);
  assert.deepEqual(queue.takeBatch(LIMITS), [large]);
  assert.deepEqual(queue.takeBatch(LIMITS), messages);
  assert.deepEqual(queue.takeBatch(LIMITS), submissions.slice(0, 3));
  assert.deepEqual(queue.takeBatch(LIMITS), submissions.slice(3));
  assert.deepEqual(queue.takeBatch(LIMITS), []);
});

test('a job that a worker died with is first in its line, and alone', () => {
  const queue = new JobQueue(1_000);
  const jobs = [1, 2, 3, 4].map((bytes) => job(bytes));
  for (const each of jobs) queue.push(each);
  const [first, second] = queue.takeBatch({ jobs: 2, bytes: 100 }) as [Job, Job];
  first.deaths = 1;
  queue.putBack([first, second]);
  assert.deepEqual(queue.takeBatch(LIMITS), [first]);
  assert.deepEqual(queue.takeBatch(LIMITS), jobs.slice(1));
});

test('a line takes jobs until its bytes are full', () => {
  const queue = new JobQueue(100);
  for (let count = 0; count < 4; count++) {
    assert.ok(queue.hasRoom('submission'));
    queue.push(job(30));
  }
  assert.equal(queue.hasRoom('submission'), false);
  assert.equal(queue.hasRoom('consensus'), true);
  queue.takeBatch({ jobs: 1, bytes: 1 });
  assert.ok(queue.hasRoom('submission'));
  assert.equal(queue.takeAll().length, 3);
  assert.equal(queue.length, 0);
});

test('nothing is lost or doubled in a long line', () => {
  const queue = new JobQueue(1e9);
  const taken: Job[] = [];
  const pushed: Job[] = [];
  for (let round = 0; round < 600; round++) {
    for (let count = 0; count < 9; count++) {
      const next = job(1);
      pushed.push(next);
      queue.push(next);
    }
    taken.push(...queue.takeBatch({ jobs: 8, bytes: 100 }));
  }
  while (queue.length > 0) taken.push(...queue.takeBatch(LIMITS));
  assert.deepEqual(taken, pushed);
});

test('parts come out of a buffer as they went in', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.nat(20), (parts, spare) => {
      const buffer = new ArrayBuffer(packedBytes(parts) + spare);
      packParts(parts, buffer);
      assert.deepEqual(
        unpackParts(buffer).map((part) => [...part]),
        parts.map((part) => [...part]),
      );
    }),
  );
});
