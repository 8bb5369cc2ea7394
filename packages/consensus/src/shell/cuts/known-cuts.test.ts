import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CutId, EncodedCut } from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';
import { KnownCuts } from './known-cuts.ts';

const cutOf = (count: number) =>
  ({ value: `cut ${count}` as CutId, fields: { height: 7n } }) as EncodedCut;

test('64 cuts are known; of more the oldest without a verdict is forgotten', () => {
  const verdicts = new Map([[cutOf(0).value, 'valid'] as const]);
  const cuts = new KnownCuts({ state: { verdicts } } as unknown as Driver);
  for (let count = 0; count < 70; count++) cuts.learn(cutOf(count));
  const known = Array.from({ length: 70 }, (_, count) => count).filter(
    (count) => cuts.get(cutOf(count).value) !== undefined,
  );
  assert.deepEqual(known, [0, ...Array.from({ length: 63 }, (_, count) => count + 7)]);
  cuts.forgetBelow(8);
  assert.equal(cuts.get(cutOf(0).value), undefined);
});
