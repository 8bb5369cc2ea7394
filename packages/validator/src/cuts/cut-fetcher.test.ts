import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CutId, EncodedCut, WireMessage } from 'svc-finality';
import type { Driver } from '../driver.ts';
import { Speaker } from '../peers/speaker.ts';
import type { Evaluation } from '../ports/chain.ts';
import { HeightDiary } from '../report/height-diary.ts';
import { rulesFor } from '../start/timing.ts';
import { CutFetcher } from './cut-fetcher.ts';
import { KnownCuts } from './known-cuts.ts';

const HEIGHT = 7;
const CUT = { value: 'a cut' as CutId, fields: { height: BigInt(HEIGHT) } } as EncodedCut;

/** A fetcher that is asked about a known cut, on a chain with this answer; what it says goes to one neighbour. */
function askAbout(evaluation: Evaluation) {
  const said: WireMessage[] = [];
  const diary = new HeightDiary();
  diary.begin(HEIGHT, 0, 1_000);
  diary.sees(HEIGHT, 1);
  diary.proposal(HEIGHT, 100, undefined);
  diary.rows(HEIGHT, [10]);
  const timers: (() => void)[] = [];
  const driver = {
    height: HEIGHT,
    members: ['other'],
    isMuted: false,
    endings: [],
    rules: rulesFor(2_500),
    diary,
    state: { verdicts: new Map(), previous: undefined },
    input: () => assert.fail('no verdict can be given'),
    whenReady: (answer: Evaluation, next: (given: Evaluation) => void) => next(answer),
    ports: {
      chain: { evaluate: () => evaluation },
      random: () => 0,
      clock: { after: (_delay: number, call: () => void) => timers.push(call) },
    },
  } as unknown as Driver;
  const cuts = new KnownCuts(driver);
  cuts.learn(CUT);
  const outlet = {
    neighbours: () => ['other'],
    broadcast: () => assert.fail('nothing is for all'),
    send: (_to: string, message: WireMessage) => void said.push(message),
  };
  const fetcher = new CutFetcher(driver, cuts, new Speaker(driver, outlet, cuts));
  fetcher.validate(CUT.value, 0);
  return { fetcher, said, timers, reason: diary.reason(HEIGHT) };
}

test('who is asked about a cut that misses no block says what it waits for, and asks nobody for nothing', () => {
  const { said, reason } = askAbout({ type: 'missing', blocks: [], what: 'the cut before it' });
  assert.deepEqual(said, []);
  assert.equal(reason, 'voted nil because it waited for the cut before it');
});

test('who lacks a block says so and asks for it, and only time makes it ask again', () => {
  const scene = askAbout({ type: 'missing', blocks: ['b1'], what: '1 block' });
  assert.equal(scene.reason, 'voted nil because it waited for 1 block');
  const request = { kind: 'blocksRequest', ids: ['b1'] } as const;
  assert.deepEqual(scene.said, [request]);
  scene.fetcher.evaluateAgain();
  assert.equal(scene.said.length, 1);
  scene.timers.shift()?.();
  assert.deepEqual(scene.said, [request, request]);
});

test('of many cuts that no validator gives the oldest is forgotten, but never one that is decided', () => {
  const { fetcher } = askAbout({ type: 'missing', blocks: [], what: 'the cut before it' });
  const valueAt = (count: number) => `cut ${count}` as CutId;
  const decided = 'the decided cut' as CutId;
  fetcher.fetchCertified(decided);
  for (let count = 0; count < 20; count++) fetcher.validate(valueAt(count), 0);
  const wanted = Array.from({ length: 20 }, (_, count) => count).filter((count) =>
    fetcher.isWantedCut(valueAt(count)),
  );
  assert.ok(fetcher.isWantedCut(decided));
  assert.deepEqual(
    wanted,
    Array.from({ length: 15 }, (_, count) => count + 5),
  );
});
