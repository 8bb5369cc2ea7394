import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Effect,
  height,
  type Input,
  NO_ROUND,
  round,
  type UnsignedMessage,
} from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';
import { HeightHistory } from '../report/height-history.ts';
import { rulesFor } from '../start/timing.ts';
import { EffectExecutor, type EffectParts } from './effect-executor.ts';

const HEIGHT = height(7);

test('what a silence refused in the round in progress is signed when it ends, each after the log is durable', () => {
  const inputs: Input[] = [];
  const resumed: Effect[] = [];
  const executor = new EffectExecutor(
    {
      heldThrough: HEIGHT,
      isMuted: false,
      diary: new HeightHistory(),
      ports: {},
      rules: rulesFor(2_500),
      state: { context: { height: HEIGHT }, round: { round: round(1) } },
      machine: { resume: (effects: readonly Effect[]) => void resumed.push(...effects) },
      input: (input: Input) => void inputs.push(input),
    } as unknown as Driver,
    {} as EffectParts,
  );
  const vote = (kind: 'prevote' | 'precommit', at: number): UnsignedMessage => ({
    kind,
    height: HEIGHT,
    round: round(at),
    validRound: NO_ROUND,
    value: null,
    validatorIndex: 0,
  });
  const owed = [vote('prevote', 1), vote('precommit', 1)];
  for (const message of [vote('prevote', 0), ...owed]) executor.execute({ type: 'sign', message });
  assert.deepEqual(
    inputs.map(({ type }) => type),
    ['signRefused', 'signRefused', 'signRefused'],
  );
  executor.signAgain();
  assert.deepEqual(
    resumed,
    owed.flatMap((message) => [{ type: 'sync' }, { type: 'sign', message }]),
  );
});
