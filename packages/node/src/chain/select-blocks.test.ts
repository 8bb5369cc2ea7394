import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { selectBlocks } from './cut-evaluator.ts';

test('a proposer registers blocks on cuts of its own chain that it has had for a while, and no others', async (t) => {
  const chain = await ChainFixture.create();
  t.after(() => chain.close());
  const [one, other] = [chain.mine([]), chain.mine([])];
  const { receivedAtMillis } = one;
  const select = (receivedBefore: number, isAnchored = (_: typeof one.block) => true) =>
    selectBlocks([one, other], chain.view, 1, receivedBefore, isAnchored)
      .map(({ block }) => block.id)
      .sort();
  assert.deepEqual(select(receivedAtMillis), [one.block.id, other.block.id].sort());
  assert.deepEqual(select(receivedAtMillis - 1), []);
  assert.deepEqual(
    select(receivedAtMillis, ({ id }) => id === other.block.id),
    [other.block.id],
  );
});
