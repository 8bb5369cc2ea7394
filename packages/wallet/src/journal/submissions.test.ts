import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Submission, SubmissionOutcome } from 'svc-client';
import { Submissions } from './sender.ts';

/** A node that refuses every transaction whose bytes begin with `ff`, and tells how the others came. */
function recordingNode() {
  const requests: string[][] = [];
  const answer = (submission: Submission): SubmissionOutcome => {
    if ('wire' in submission && submission.wire[0] === 0xff) throw new Error('refused');
    return 'accepted';
  };
  const client = {
    submit: async (submission: Submission) => {
      requests.push([submission.transaction_id]);
      return answer(submission);
    },
    submitMany: (submissions: readonly Submission[]) => {
      requests.push(submissions.map(({ transaction_id }) => transaction_id));
      return Promise.allSettled(submissions.map(async (submission) => answer(submission)));
    },
  };
  return { requests, submissions: new Submissions({ client, reached: () => {} }) };
}

test('what leaves at the same moment goes together, and each is answered for itself', async () => {
  const { requests, submissions } = recordingNode();
  const submit = (transaction_id: string, first = 0) =>
    submissions.submit({ transaction_id, wire: Uint8Array.of(first) });
  const [a, b, c] = await Promise.allSettled([submit('a'), submit('b', 0xff), submit('c')]);
  assert.deepEqual([a?.status, b?.status, c?.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.equal(await submit('d'), 'accepted');
  assert.deepEqual(requests, [['a', 'b', 'c'], ['d']]);
});

test('no request is longer than the node takes', async () => {
  const { requests, submissions } = recordingNode();
  const all = Array.from({ length: 10 }, (_, at) =>
    submissions.submit({ transaction_id: String(at), wire: new Uint8Array(1) }),
  );
  await Promise.all(all);
  const long = ['x', 'y'].map((transaction_id) =>
    submissions.submit({ transaction_id, wire: new Uint8Array(40_000) }),
  );
  await Promise.all(long);
  assert.deepEqual(
    requests.map(({ length }) => length),
    [8, 2, 1, 1],
  );
});
