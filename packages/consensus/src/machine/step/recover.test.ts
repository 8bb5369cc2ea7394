import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  A,
  B,
  context,
  describe,
  play,
  precommit,
  prevote,
  proposed,
  timer,
  verdict,
} from '../../../test/machine/scenario.ts';
import type { Effect } from './effects.ts';
import type { Input } from './inputs.ts';
import { recover } from './recover.ts';
import { initialState, step } from './step.ts';

const inputs: readonly Input[] = [
  { type: 'startHeight', context: context() },
  timer('start'),
  proposed(1, 0, A),
  verdict(A, 'valid'),
  prevote(1, 0, A),
  prevote(2, 0, A),
  precommit(1, 0, null),
  precommit(2, 0, null),
  precommit(3, 0, null),
  proposed(2, 1, B),
];

/** Runs inputs with a signer that answers, and returns the log the effects wrote. */
function logOf(given: readonly Input[]): { log: Input[]; final: ReturnType<typeof play> } {
  const log: Input[] = [];
  let final = play([], initialState(context()));
  for (const input of given) {
    final = play([input], final.state);
    for (const effect of final.effects) if (effect.type === 'append') log.push(effect.input);
  }
  return { log, final };
}

const source = { previous: undefined, holdsCut: () => true };

test('playing any prefix of the log gives the state that wrote it', () => {
  for (let count = 1; count <= inputs.length; count++) {
    const { log, final } = logOf(inputs.slice(0, count));
    const { state } = recover({ ...source, log });
    assert.deepEqual(
      { ...state, quietTicks: 0 },
      { ...final.state, quietTicks: 0 },
      `after ${count} inputs`,
    );
  }
});

test('the lock is part of what comes back', () => {
  const { log } = logOf(inputs);
  assert.deepEqual(recover({ ...source, log }).state.round.locked, { round: 0, value: A });
});

test('a signature that was asked for and not given is asked for again, after a sync', () => {
  let state = initialState(context());
  const log: Input[] = [];
  for (const input of inputs.slice(0, 4)) {
    const result = step(state, input);
    state = result.state;
    for (const effect of result.effects) if (effect.type === 'append') log.push(effect.input);
  }
  const { effects } = recover({ ...source, log });
  assert.deepEqual(describe(effects).slice(-2), ['sync', 'sign prevote 0 a -1']);
});

test('timers of the current step run again, those of the past do not', () => {
  const { log } = logOf(inputs.slice(0, 9));
  const timers = recover({ ...source, log }).effects.filter(({ type }) => type === 'schedule');
  assert.deepEqual(describe(timers), ['schedule propose 1 1300']);
});

test('a verdict whose cut did not survive is forgotten and the cut judged again', () => {
  const { log } = logOf(inputs.slice(0, 4));
  const unsigned = log.filter(({ type }) => type !== 'signed');
  const { state, effects } = recover({ ...source, log: unsigned, holdsCut: () => false });
  assert.equal(state.verdicts.size, 0);
  const asked = effects.filter((effect): effect is Effect => effect.type === 'validateCut');
  assert.deepEqual(asked, [{ type: 'validateCut', height: 5, value: A, from: 1 }]);
  assert.equal(
    effects.some(({ type }) => type === 'sign'),
    false,
  );
});

test('an own cut that did not survive is not proposed but built again', () => {
  const self = 1;
  const log: Input[] = [
    { type: 'startHeight', context: context({ self }) },
    timer('start'),
    { type: 'cutBuilt', height: context().height, round: 0 as never, value: A },
  ];
  const lost = recover({ ...source, log, holdsCut: () => false }).effects;
  assert.deepEqual(describe(lost).slice(-1), ['buildCut']);
  const held = recover({ ...source, log }).effects;
  assert.deepEqual(describe(held).slice(-2), ['sync', 'sign proposal 0 a -1']);
});

test('a verdict that was left out once stays left out when its cut is back, and a later one counts', () => {
  const { log } = logOf(inputs.slice(0, 3));
  const forgotten = [...log, verdict(A, 'valid'), verdict(A, 'unknown')];
  assert.equal(recover({ ...source, log: forgotten }).state.verdicts.size, 0);
  const judgedAgain = recover({ ...source, log: [...forgotten, verdict(A, 'valid')] });
  assert.equal(judgedAgain.state.verdicts.get(A), 'valid');
});
