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
} from '../../../test/machine/scenario.ts';
import { checkPreviousSigners } from '../attendance/previous-signers.ts';
import { height, NIL, round } from '../base/types.ts';
import { previousCommitsOf, previousSigners } from '../keeper/previous-commits.ts';
import type { Input } from './inputs.ts';
import { recover } from './recover.ts';
import { initialState, step } from './step.ts';

const decidedA: Input = { type: 'commitCertificate', certificate: commit(0, A, [1, 2, 3]) };
const nextContext = context({ height: height(6), startAtMs: START + 2_500n });
const next: Input = { type: 'startHeight', context: nextContext };
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

test('precommits that arrive after the decision are kept for the next header, of its round alone', () => {
  const { state } = play([
    verdict(A, 'valid'),
    decidedA,
    next,
    precommit(0, 0, A),
    precommit(0, 1, A),
  ]);
  assert.ok(state.previous !== undefined);
  assert.equal(previousSigners(state.previous, round(0)), 0b1111n);
  assert.equal(previousSigners(state.previous, round(1)), 0n);
});

test('what came of the cut before since then is in the log: late precommits, and rounds that headers claim', () => {
  const claimed: Input = { type: 'commitCertificate', certificate: commit(7, A, [0, 1, 2]) };
  const begun = play([verdict(A, 'valid'), decidedA, next]);
  const inputs = [precommit(0, 0, A), claimed, precommit(3, 7, A), precommit(3, 100, A)];
  const logs = inputs.map((_, at) => play(inputs.slice(0, at + 1), begun.state).effects);
  const log = [begun.effects, ...logs].flatMap((effects) =>
    effects.flatMap((effect) => (effect.type === 'append' ? [effect.input] : [])),
  );
  const ofHeight = log.slice(log.findIndex(({ type }) => type === 'startHeight'));
  assert.deepEqual(ofHeight.slice(1), inputs.slice(0, 3));
  const trimmed = previousCommitsOf(context().set, commit(0, A, [1, 2, 3]));
  const { state } = recover({ log: ofHeight, previous: trimmed, holdsCut: () => true });
  assert.ok(state.previous !== undefined);
  assert.equal(previousSigners(state.previous, round(0)), 0b1111n);
  assert.equal(previousSigners(state.previous, round(7)), 0b1111n);
  assert.equal(previousSigners(state.previous, round(100)), 0n);
});

test('validators that decided one cut in different rounds can each hold what any other claims', () => {
  const certificates = [commit(0, A, [0, 1, 2]), commit(5, A, [1, 2, 3]), commit(9, A, [0, 2, 3])];
  // One has decided by votes or a certificate, another has followed the chain and its certificate.
  const decided = certificates.map((certificate) =>
    play([verdict(A, 'valid'), { type: 'commitCertificate', certificate }, next]),
  );
  const synced = certificates.map((certificate) =>
    play([next], initialState(nextContext, previousCommitsOf(context().set, certificate))),
  );
  const states = [...decided, ...synced].map(({ state }) => state);
  for (const holder of states)
    for (const asker of states) {
      const { certificate } = holder.previous ?? assert.fail('height 5 is decided');
      const claim = { round: certificate.round, signers: certificate.signers };
      const { effects } = step(holder, {
        type: 'precommitsRequest',
        from: 1,
        height: certificate.height,
        ...claim,
      });
      assert.deepEqual(effects, [{ type: 'send', to: 1, message: certificate }]);
      const { state } = step(asker, { type: 'commitCertificate', certificate });
      assert.deepEqual(checkPreviousSigners(state.previous, claim), { type: 'held' });
      const { round: own, signers } = asker.previous?.certificate ?? certificate;
      assert.deepEqual(checkPreviousSigners(state.previous, { round: own, signers }), {
        type: 'held',
      });
    }
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
