import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { ClientError } from '../client-error.ts';
import { type HedgedAttempt, hedge } from './hedge.ts';

interface Node {
  readonly attempt: HedgedAttempt<string>;
  asked: number;
  isEnded: boolean;
  answer(text: string): void;
  fail(error: unknown): void;
}

function node(): Node {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const made: Node = {
    asked: 0,
    isEnded: false,
    answer: resolve,
    fail: reject,
    attempt: (signal) => {
      made.asked++;
      signal.addEventListener('abort', () => {
        made.isEnded = true;
        reject(new ClientError('aborted', 'ended'));
      });
      return promise;
    },
  };
  return made;
}

const UNREACHABLE = new ClientError('unreachable', 'no server there');

function start(count: number, signal?: AbortSignal) {
  const clock = new ManualClock(0);
  const nodes = Array.from({ length: count }, node);
  const answer = hedge(
    nodes.map(({ attempt }) => attempt),
    { hedgeMillis: 100, sleep: (millis, given) => sleep(clock, millis, given), signal },
  );
  answer.catch(() => {});
  const asked = () => nodes.map((each) => each.asked);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, nodes: nodes as [Node, Node, Node], answer, asked, turn };
}

test('a node that answers in time is the only one that is asked', async () => {
  const { clock, nodes, answer, asked, turn } = start(3);
  clock.advance(99);
  nodes[0].answer('first');
  assert.equal(await answer, 'first');
  clock.advance(1_000);
  await turn();
  assert.deepEqual(asked(), [1, 0, 0]);
});

test('a slow node has company, and the first good answer ends the other calls', async () => {
  const { clock, nodes, answer, asked, turn } = start(3);
  clock.advance(100);
  await turn();
  assert.deepEqual(asked(), [1, 1, 0]);
  nodes[1].answer('second');
  assert.equal(await answer, 'second');
  assert.deepEqual([nodes[0].isEnded, nodes[2].asked], [true, 0]);
});

test('a node that fails makes room for the next one at once', async () => {
  const { nodes, answer, asked, turn } = start(3);
  nodes[0].fail(UNREACHABLE);
  await turn();
  assert.deepEqual(asked(), [1, 1, 0]);
  nodes[1].fail(new ClientError('refused', 'busy', { status: 429 }));
  await turn();
  assert.deepEqual(asked(), [1, 1, 1]);
  nodes[2].answer('third');
  assert.equal(await answer, 'third');
});

test('the error of the first node is thrown when none has a good answer, and each is asked once', async () => {
  const { clock, nodes, answer, asked, turn } = start(3);
  for (const { fail } of nodes.slice(1)) fail(new ClientError('bad_answer', 'no document'));
  clock.advance(100);
  await turn();
  clock.advance(100);
  await turn();
  nodes[0].fail(UNREACHABLE);
  await assert.rejects(answer, UNREACHABLE);
  clock.advance(10_000);
  await turn();
  assert.deepEqual(asked(), [1, 1, 1]);
});

test('a refusal that every node would repeat is the answer', async () => {
  const { nodes, answer, asked } = start(3);
  const refusal = new ClientError('refused', 'malformed', { status: 400 });
  nodes[0].fail(refusal);
  await assert.rejects(answer, refusal);
  assert.deepEqual(asked(), [1, 0, 0]);
});

test('a caller that gives up ends all calls, whether one or two nodes were asked', async () => {
  for (const isEarly of [false, true]) {
    const ending = new AbortController();
    const { clock, nodes, answer, turn } = start(2, ending.signal);
    if (!isEarly) {
      clock.advance(100);
      await turn();
    }
    ending.abort();
    await assert.rejects(answer, { kind: 'aborted' });
    assert.equal(nodes[0].isEnded, true);
  }
});
