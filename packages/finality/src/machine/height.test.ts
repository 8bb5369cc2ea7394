/**
 * From one height to the next, and the assertions that stop the process.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  A,
  B,
  commit,
  context,
  play,
  precommit,
  START,
  timer,
  verdict,
  vote,
} from '../../test/scenario.ts';
import { height, NIL, round } from '../base/types.ts';
import { previousCommitsOf, previousSigners } from '../keeper/previous-commits.ts';
import type { Input } from './inputs.ts';
import { recover } from './recover.ts';

const decidedA: Input = { type: 'commitCertificate', certificate: commit(0, A, [1, 2, 3]) };
const next: Input = {
  type: 'startHeight',
  context: context({ height: height(6), startAtMs: START + 2_500n }),
};
const early = (index: number, at: number): Input => ({
  type: 'vote',
  vote: { ...vote('prevote', index, at, NIL), height: height(6) },
});

test('messages of the next height wait for it, two rounds and no more', () => {
  const before = [
    timer('start'),
    early(1, 0),
    early(2, 0),
    early(3, 1),
    early(2, 2),
    verdict(A, 'valid'),
  ];
  const { state } = play([...before, decidedA, next]);
  assert.deepEqual(
    state.keeper.records.map((record) => [record.round, record.prevotes.voters]),
    [
      [0, 0b0110n],
      [1, 0b1000n],
    ],
  );
  assert.equal(state.round.round, 0, 'more than a third voted in round 0');
});

test('precommits that arrive after the decision are kept for the next header', () => {
  const { state } = play([
    verdict(A, 'valid'),
    decidedA,
    next,
    precommit(0, 0, A),
    precommit(0, 1, A),
  ]);
  assert.ok(state.previous !== undefined);
  assert.equal(previousSigners(state.previous, round(0)), 0b1111n);
  assert.equal(previousSigners(state.previous, round(1)), 0b0001n);
});

test('precommits of the cut before are in the log, and come back where the store has kept fewer', () => {
  const late = precommit(0, 0, A);
  const before = play([timer('start'), verdict(A, 'valid'), precommit(1, 1, A), decidedA, next]);
  const after = play([late], before.state);
  const log = [...before.effects, ...after.effects].flatMap((effect) =>
    effect.type === 'append' ? [effect.input] : [],
  );
  const ofHeight = log.slice(log.findIndex(({ type }) => type === 'startHeight'));
  const trimmed = previousCommitsOf(context().set, commit(0, A, [1, 2, 3]));
  const { state } = recover({ log: ofHeight, previous: trimmed, holdsCut: () => true });
  assert.ok(state.previous !== undefined);
  assert.equal(previousSigners(state.previous, round(0)), 0b1111n);
  assert.equal(previousSigners(state.previous, round(1)), 0b0010n);
});

test('a precommit for another cut than the decided one is not kept', () => {
  const { state } = play([verdict(A, 'valid'), decidedA, next, precommit(0, 0, B)]);
  assert.ok(state.previous !== undefined);
  assert.equal(previousSigners(state.previous, round(0)), 0b1110n);
});

const decidedB: Input = { type: 'commitCertificate', certificate: commit(1, B, [1, 2, 3]) };
const backwards: Input = { type: 'startHeight', context: context({ height: height(6) }) };
const STOPS: readonly [string, readonly Input[], string][] = [
  [
    'a second decision at the same height',
    [verdict(A, 'valid'), decidedA, decidedB],
    'conflicting_decisions',
  ],
  [
    'a second decision at the height before',
    [verdict(A, 'valid'), decidedA, next, decidedB],
    'conflicting_decisions',
  ],
  [
    'a certificate for a cut that is invalid here',
    [verdict(A, 'invalid'), decidedA],
    'certified_invalid_cut',
  ],
  ['a height that starts no later than the one before', [backwards], 'time_not_monotone'],
  ['a verdict that changes', [verdict(A, 'valid'), verdict(A, 'invalid')], 'unstable_verdict'],
  [
    'two own messages for one position',
    [timer('start'), timer('propose'), { type: 'signed', message: vote('prevote', 0, 0, A) }],
    'conflicting_own_message',
  ],
  [
    'two own messages for one position of the round before',
    [
      timer('start'),
      timer('propose'),
      ...[1, 2, 3].map((index) => precommit(index, 0, NIL)),
      { type: 'signed', message: vote('prevote', 0, 0, A) },
    ],
    'conflicting_own_message',
  ],
];

for (const [description, inputs, code] of STOPS)
  test(`${description} stops the process: ${code}`, () => {
    assert.throws(() => play(inputs), { name: 'FinalityAssertionError', code });
  });

test('the same certificate twice is nothing', () => {
  const { state } = play([verdict(A, 'valid'), decidedA]);
  assert.deepEqual(play([decidedA], state).effects, []);
  const waiting = play([decidedA]);
  assert.ok(waiting.effects.length > 0);
  assert.deepEqual(play([decidedA], waiting.state).effects, [], 'also before its cut is held');
});
