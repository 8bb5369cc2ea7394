import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  A,
  commit,
  context,
  describe,
  play,
  polka,
  precommit,
  prevote,
  proposed,
  START,
  timer,
  verdict,
  vote,
} from '../../../test/machine/scenario.ts';
import { SUMMARY_ANSWER_VOTES_MAX } from '../base/limits.ts';
import { height, NIL, round } from '../base/types.ts';
import { createValidatorSet } from '../base/validator-set.ts';
import { summarise } from './anti-entropy.ts';
import type { Input } from './inputs.ts';
import { initialState, RULES, step } from './step.ts';

const tick: Input = { type: 'antiEntropy', neighbours: [1, 2, 3] };
const voted = [timer('start'), verdict(A, 'valid'), proposed(1, 0, A), prevote(1, 0, A)];

test('row 23: a summary and the own votes leave after two ticks without progress, not before', () => {
  const first = play([...voted, tick]);
  assert.deepEqual(first.rows, []);
  const second = play([tick], first.state);
  assert.deepEqual(second.rows, []);
  const third = play([tick], second.state);
  assert.deepEqual(third.rows, [23]);
  assert.deepEqual(describe(third.effects), [
    'scheduleAntiEntropy',
    ...[1, 2, 3].flatMap((to) => [`send ${to} summary`, `send ${to} prevote`]),
  ]);
});

test('votes that arrive are no progress as long as the step stays', () => {
  const { state } = play([...voted, tick, tick, prevote(3, 0, NIL)]);
  assert.deepEqual(play([tick], state).rows, [], 'row 11 fired: that is progress');
  const still = play([...voted, prevote(3, 0, NIL), tick, tick, prevote(3, 0, NIL)]);
  assert.deepEqual(play([tick], still.state).rows, [23]);
});

test('a peer gets the proposal and the votes it lacks, and nothing it holds', () => {
  const { state } = play([...voted, precommit(3, 0, A)]);
  const theirs = summarise(play([timer('start'), prevote(1, 0, A)]).state, RULES);
  const { effects } = step(state, { type: 'summary', from: 2, summary: theirs });
  assert.deepEqual(describe(effects), ['send 2 proposal', 'send 2 precommit', 'send 2 prevote']);
  const same = summarise(state, RULES);
  assert.deepEqual(step(state, { type: 'summary', from: 2, summary: same }).effects, []);
});

test('an answer has at most 64 votes', () => {
  const set = createValidatorSet('set', new Array(64).fill(1n));
  const start = initialState(context({ set, proposers: [1] }));
  const votes = Array.from({ length: 40 }, (_, index) => [
    prevote(index + 1, 0, NIL),
    precommit(index + 1, 0, NIL),
  ]).flat();
  const { state } = play([timer('start'), ...votes], start);
  const empty = summarise(play([timer('start')], start).state, RULES);
  const { effects } = step(state, { type: 'summary', from: 2, summary: empty });
  assert.equal(effects.length, SUMMARY_ANSWER_VOTES_MAX);
});

test('a peer behind gets a decision, a peer ahead our summary', () => {
  const { state } = play(voted);
  const summary = summarise(state, RULES);
  const behind = step(state, {
    type: 'summary',
    from: 1,
    summary: { ...summary, height: height(3) },
  });
  assert.deepEqual(behind.effects, [{ type: 'sendDecision', to: 1, height: 3 }]);
  const ahead = step(state, {
    type: 'summary',
    from: 1,
    summary: { ...summary, height: height(9) },
  });
  assert.deepEqual(describe(ahead.effects), ['send 1 summary']);
});

test('the latest polka is shown to one neighbour from two rounds after it on, not before', () => {
  const nilRound = (at: number) => [1, 2, 3].map((index) => precommit(index, at, NIL));
  const locked = [...voted, prevote(2, 0, A), ...nilRound(0)];
  const shownIn = (inputs: readonly Input[]) => {
    const { state } = play([...inputs, tick, tick]);
    assert.deepEqual(state.round.valid?.round, 0);
    const { effects } = play([tick], state);
    return describe(effects).filter((effect) => effect.endsWith('polkaCertificate'));
  };
  assert.deepEqual(shownIn(locked), []);
  assert.deepEqual(shownIn([...locked, ...nilRound(1)]), ['send 1 polkaCertificate']);
  assert.deepEqual(shownIn([...locked, ...nilRound(1), ...nilRound(2)]), [
    'send 1 polkaCertificate',
  ]);
});

test('a polka that a proposal leans on is asked for at once and in every summary', () => {
  const leaning = [
    timer('start'),
    ...[1, 2, 3].map((index) => precommit(index, 0, NIL)),
    proposed(2, 1, A, 0),
  ];
  const played = play(leaning);
  assert.ok(describe(played.effects).includes('fetchPolka'));
  assert.deepEqual(summarise(played.state, RULES).wantedPolka, { round: 0, value: A });
  const holder = play([
    timer('start'),
    { type: 'polkaCertificate', certificate: polka(0, A, [1, 2, 3]) },
  ]);
  const asked = step(holder.state, {
    type: 'polkaRequest',
    from: 3,
    height: height(5),
    round: round(0),
    value: A,
  });
  assert.deepEqual(describe(asked.effects), ['send 3 polkaCertificate']);
});

test('between cuts the late precommits of the last one are asked for, and given', () => {
  const decided = play([
    verdict(A, 'valid'),
    { type: 'commitCertificate', certificate: commit(0, A, [1, 2, 3]) },
  ]);
  const next: Input = {
    type: 'startHeight',
    context: context({ height: height(6), startAtMs: START + 2_500n }),
  };
  const waiting = play([next, tick, tick], decided.state);
  assert.deepEqual(waiting.effects.slice(1), [
    { type: 'fetchPrecommits', from: 1, height: 5, round: 0, signers: 0b0001n },
  ]);
  const late = play([{ type: 'vote', vote: vote('precommit', 0, 0, A) }], waiting.state);
  const asked = { type: 'precommitsRequest', from: 2, height: height(5), round: round(0) } as const;
  const answers = (request: Input) => step(late.state, request).effects;
  assert.deepEqual(describe(answers({ ...asked, signers: 0b0011n })), [
    'send 2 precommit',
    'send 2 precommit',
  ]);
  // A peer that lacks a quorum holds nothing of the round, and gets all of it at once.
  assert.deepEqual(answers({ ...asked, signers: 0b0111n }), [
    { type: 'send', to: 2, message: commit(0, A, [0, 1, 2, 3]) },
  ]);
  for (const nothing of [
    { ...asked, round: round(1), signers: 0b0111n },
    { ...asked, height: height(4), signers: 0b0111n },
    { ...asked, signers: 0b1_0111n },
  ])
    assert.deepEqual(answers(nothing), []);
});
