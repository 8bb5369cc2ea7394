import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createValidatorSet, height, type Input, initialState, RULES } from 'svc-consensus/machine';
import { MachineLoop } from './machine-loop.ts';

const stateAt = (at: number) =>
  initialState({
    height: height(at),
    set: createValidatorSet('set', [1n]),
    proposers: [0],
    self: undefined,
    startAtMs: 0n,
  });
const tick: Input = { type: 'antiEntropy', neighbours: [] };

test('inputs that wait belong to the state that they came for, and go with it', () => {
  const loop = new MachineLoop(stateAt(1), RULES, assert.ifError);
  const stepped: number[] = [];
  loop.connect({
    execute: () => {},
    onStep: (before) => stepped.push(before.context.height),
  });
  loop.input(tick);
  loop.pause();
  loop.input(tick);
  loop.replace(stateAt(2));
  loop.unpause();
  assert.deepEqual(stepped, [1]);
  loop.input(tick);
  assert.deepEqual(stepped, [1, 2]);
});
