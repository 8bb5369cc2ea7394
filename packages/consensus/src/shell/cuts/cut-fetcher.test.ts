import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CutId,
  commitCertificateOf,
  createValidatorSet,
  createVoteKeeper,
  type EncodedCut,
  type FinalityState,
  height as heightOf,
  type Input,
  keepClaimedRound,
  keepPolka,
  NO_ROUND,
  type PreviousCommits,
  polkaCertificateOf,
  previousCommitsOf,
  round as roundOf,
  type Vote,
  type WireMessage,
} from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';
import { Speaker } from '../peers/speaker.ts';
import type { Evaluation } from '../ports/chain.ts';
import { HeightHistory } from '../report/height-history.ts';
import { rulesFor } from '../start/timing.ts';
import { CutFetcher } from './cut-fetcher.ts';
import { KnownCuts } from './known-cuts.ts';

const HEIGHT = 7;
const CLAIMED_ROUND = roundOf(9);
const CLAIM = { previousRound: Number(CLAIMED_ROUND), previousSigners: 0b0111n };
const CUT = {
  value: 'a cut' as CutId,
  fields: { height: BigInt(HEIGHT), ...CLAIM },
} as EncodedCut;
const SET = createValidatorSet('set', [1n, 1n, 1n, 1n]);
const PARENT = 'the cut before' as CutId;
const EXECUTION = { type: 'execution', execution: { cut: CUT } } as const;

type State = Pick<FinalityState, 'verdicts' | 'previous' | 'keeper'>;

function voteOf(kind: Vote['kind'], height: number, round: number, validatorIndex: number): Vote {
  const value = kind === 'precommit' ? PARENT : CUT.value;
  const place = { height: heightOf(height), round: roundOf(round), validRound: NO_ROUND };
  return { kind, ...place, value, validatorIndex, signature: new Uint8Array(1) };
}

function commit(round: number, signers: readonly number[]) {
  const votes = signers.map((index) => voteOf('precommit', HEIGHT - 1, round, index));
  return commitCertificateOf(votes, PARENT);
}

const previousOf = (round: number, signers: readonly number[]): PreviousCommits =>
  previousCommitsOf(SET, commit(round, signers));
const stateWith = (previous: PreviousCommits | undefined): State => {
  return { verdicts: new Map(), previous, keeper: createVoteKeeper(SET, NO_ROUND) };
};

/** A fetcher that is asked about a known cut, on a chain with this answer; what it says goes to one neighbour. */
function askAbout(evaluation: Evaluation, state: State = stateWith(undefined)) {
  const inputs: Input[] = [];
  const said: WireMessage[] = [];
  const diary = new HeightHistory();
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
    state,
    input: (input: Input) => inputs.push(input),
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
  const verdicts = () => inputs.map((input) => input.type === 'verdict' && input.verdict);
  return { fetcher, driver, said, timers, verdicts, reason: diary.reason(HEIGHT) };
}

test('a judgement about a cut that lacks no block names what it waits for, and sends no empty request', () => {
  const missing = { type: 'missing', blocks: [], what: 'the cut before it' } as const;
  const { said, reason, verdicts } = askAbout(missing);
  assert.deepEqual(said, []);
  assert.deepEqual(verdicts(), []);
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

test('of too many cuts the one that was proposed longest ago is abandoned, be it older or not', () => {
  const { fetcher } = askAbout({ type: 'missing', blocks: [], what: 'its turn' });
  const others = Array.from({ length: 16 }, (_, at) => `cut ${at}` as CutId);
  for (const value of others.slice(0, 15)) fetcher.validate(value, 0);
  fetcher.validate('cut 0' as CutId, 0);
  fetcher.validate('cut 15' as CutId, 0);
  fetcher.validate('cut 16' as CutId, 0);
  const wanted = [...others, 'cut 16' as CutId].filter((value) => fetcher.isWantedCut(value));
  assert.deepEqual(wanted, ['cut 0', ...others.slice(2), 'cut 16']);
});

test('what comes while a cut is evaluated has it evaluated once more', () => {
  const { fetcher, driver } = askAbout({ type: 'missing', blocks: [], what: 'its turn' });
  const answers: (() => void)[] = [];
  const whenReady = <T>(answer: T, next: (given: T) => void) =>
    void answers.push(() => next(answer));
  Object.assign(driver, { whenReady });
  for (let arrived = 0; arrived < 3; arrived++) fetcher.evaluateAgain();
  assert.equal(answers.length, 1);
  for (const expected of [2, 2]) {
    answers.at(-1)?.();
    assert.equal(answers.length, expected);
  }
});

const REQUEST = { kind: 'precommitsRequest', height: HEIGHT - 1, round: CLAIMED_ROUND } as const;

test('who holds nothing of a claimed round asks for all of it, and wants its certificate until it has it', () => {
  const previous = previousOf(0, [1, 2, 3]);
  const { fetcher, driver, said, reason, verdicts } = askAbout(EXECUTION, stateWith(previous));
  assert.deepEqual(said, [{ ...REQUEST, signers: CLAIM.previousSigners }]);
  assert.equal(reason, 'voted nil because it waited for precommits of the cut before');
  assert.ok(fetcher.isWantedRound(CLAIMED_ROUND));
  assert.equal(fetcher.isWantedRound(roundOf(100)), false);
  const held = keepClaimedRound(previous, commit(CLAIMED_ROUND, [0, 1, 2, 3]));
  Object.assign(driver.state, { previous: held });
  fetcher.evaluateAgain();
  assert.deepEqual(verdicts(), ['valid']);
  assert.equal(fetcher.isWantedRound(CLAIMED_ROUND), false);
});

test('who holds some of a claimed round asks for the rest, and wants no certificate', () => {
  const previous = previousOf(CLAIMED_ROUND, [1, 2, 3]);
  const { fetcher, said, verdicts } = askAbout(EXECUTION, stateWith(previous));
  assert.deepEqual(said, [{ ...REQUEST, signers: 0b0001n }]);
  assert.equal(fetcher.isWantedRound(CLAIMED_ROUND), false);
  assert.deepEqual(verdicts(), []);
});

for (const [what, previous] of [
  ['that no peer sends', previousOf(0, [1, 2, 3])],
  ['also where the certificate of the cut before is missing', undefined],
] as const)
  test(`a polka proves what a header claims, ${what}`, () => {
    const state = stateWith(previous);
    const { driver, timers, verdicts } = askAbout(EXECUTION, state);
    assert.deepEqual(verdicts(), []);
    const polka = (value: CutId) => {
      const votes = [0, 1, 2].map((index) => voteOf('prevote', HEIGHT, 0, index));
      return keepPolka(state.keeper, polkaCertificateOf(votes, value), NO_ROUND).keeper;
    };
    Object.assign(driver.state, { keeper: polka('another cut' as CutId) });
    timers.shift()?.();
    assert.deepEqual(verdicts(), []);
    Object.assign(driver.state, { keeper: polka(CUT.value) });
    timers.shift()?.();
    assert.deepEqual(verdicts(), ['valid']);
  });
