import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  A,
  context,
  describe,
  play,
  polka,
  prevote,
  proposed,
  timer,
  verdict,
} from '../../../test/machine/scenario.ts';
import { createValidatorSet } from '../base/validator-set.ts';
import type { Input } from './inputs.ts';
import { initialState } from './step.ts';

const OTHERS = Array.from({ length: 11 }, (_, index) => index + 1);
const SET = createValidatorSet('twelve', new Array(12).fill(1n));

/** All timeouts of a round expire. */
const passed = (at: number): Input[] => [
  timer('propose', at),
  timer('prevote', at),
  timer('precommit', at),
];

test('a value with a polka is proposed and prevoted again, however many rounds after its own is forgotten', () => {
  const start = initialState(context({ set: SET, proposers: [...OTHERS, 0] }));
  const voters = OTHERS.slice(0, 8);
  const seen = [
    timer('start'),
    verdict(A, 'valid'),
    proposed(1, 0, A),
    timer('prevote'),
    ...voters.map((index) => prevote(index, 0, A)),
    timer('precommit'),
  ];
  const waited = Array.from({ length: 10 }, (_, index) => passed(index + 1)).flat();
  const { state, effects } = play([...seen, ...waited], start);
  assert.equal(state.round.locked, undefined);
  assert.ok(describe(effects).includes('broadcast proposal 11 a 0'));
  const shown = play(
    [{ type: 'polkaCertificate', certificate: polka(0, A, [0, ...voters]) }],
    state,
  );
  assert.ok(describe(shown.effects).includes('broadcast prevote 11 a 0'));
});
