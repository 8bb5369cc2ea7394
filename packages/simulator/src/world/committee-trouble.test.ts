import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committeeTrouble } from './committee-trouble.ts';
import { epochWith } from './committees.ts';

const HEIGHT = 17;

interface Case {
  readonly byzantine?: readonly number[];
  readonly unrouted?: readonly number[];
  readonly restored?: number;
  readonly stopped?: readonly number[];
}

/** Four validators with the same stake, of whom the first three sit. */
function troubleOf({ byzantine = [], unrouted = [], restored, stopped = [] }: Case) {
  const holders = [0, 1, 2].map((validator) => ({ validator, generation: 0, stake: 5n }));
  const nodes = [0, 1, 2, 3].map((index) => ({ index, isKeyStopped: stopped.includes(index) }));
  const plan = {
    byzantine: new Map(byzantine.map((index) => [index, 'silent' as const])),
    unrouted: new Set(unrouted),
    restored,
  };
  const chain = { trueEpoch: () => epochWith(1, 'elected', holders, 12) };
  return committeeTrouble({ chain, nodes, plan }, HEIGHT);
}

test('a committee whose faults are within the promise has to decide', () => {
  const within: readonly Case[] = [
    {},
    { byzantine: [3], unrouted: [0, 1, 3] },
    { restored: 1 },
    { restored: 3, stopped: [3] },
  ];
  for (const each of within) assert.equal(troubleOf(each), undefined);
});

test('a key that stopped without a backup behind it excuses nothing', () => {
  assert.equal(troubleOf({ stopped: [0, 1, 2] }), undefined);
  assert.equal(troubleOf({ restored: 3, stopped: [0, 1] }), undefined);
});

test('a third that lies or was restored and stopped, and members without any route, are told', () => {
  const third = `a third at height ${HEIGHT} lies or has stopped`;
  assert.equal(troubleOf({ byzantine: [2] }), third);
  assert.equal(troubleOf({ restored: 1, stopped: [1] }), third);
  const alone = `no honest member at height ${HEIGHT} has a route`;
  assert.equal(troubleOf({ unrouted: [0, 1, 2] }), alone);
});
