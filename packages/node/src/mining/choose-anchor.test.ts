import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorWeights, drawByWeight, hasTime, type OpenAnchor } from './templates.ts';
import {
  type AnchorNetwork,
  meanShares,
  runAnchorNetwork,
  STRATEGIES,
} from './testing/anchor-model.ts';

const TARGET = 1n << 240n;
const HEAD = 1_000;
/** Blocks a cut of the main network. */
const MAIN = 64;

const anchor = (age: number, blocks: number, target = TARGET): OpenAnchor => ({
  height: HEAD - age,
  blocks,
  target,
});
const weigh = (...anchors: OpenAnchor[]) =>
  anchorWeights(anchors, { head: HEAD, blocksPerCut: MAIN });

/** The strategy that gains most in a network. */
function bestGain(network: AnchorNetwork): { readonly name: string; readonly gain: number } {
  const shares = meanShares(network);
  const results = Object.entries(STRATEGIES).map(([name, strategy]) => ({
    name,
    gain: runAnchorNetwork({ ...network, strategy, shares }).gain,
  }));
  return results.reduce((best, result) => (result.gain > best.gain ? result : best));
}

test('a block on an anchor that has time can be registered for eight cuts more than the next', () => {
  assert.equal(hasTime(HEAD - 86, HEAD), true);
  assert.equal(hasTime(HEAD - 87, HEAD), false);
});

test('anchors weigh what they lack to one level, divided by the cuts that they have left', () => {
  const [old = 0, young = 0] = weigh(anchor(77, 60), anchor(67, 60));
  assert.ok(Math.abs(old / young - 2) < 0.001, `${old} and ${young}`);
  const [full, lacking = 0] = weigh(anchor(40, 900), anchor(40, 20));
  assert.equal(full, 0);
  assert.ok(lacking > 0);
  assert.ok(weigh(anchor(0, 256)).every((weight) => weight > 0));
});

test('blocks against a target twice as hard count twice', () => {
  const easy = weigh(anchor(40, 40), anchor(10, 20));
  const hard = weigh(anchor(40, 20, TARGET / 2n), anchor(10, 20));
  assert.deepEqual(hard, easy);
});

test('an anchor is drawn as often as its weight says', () => {
  const drawn = Array.from({ length: 6 }, (_, number) => {
    const random = { below: (limit: number) => Math.min(number, limit - 1) };
    return drawByWeight([2, 0, 3, 1], random);
  });
  assert.deepEqual(drawn, [0, 0, 2, 2, 2, 3]);
});

test('no strategy gains a percent at 64 blocks a cut, with templates of this cut or of four cuts ago', (t) => {
  for (const [share, delayCuts] of [
    [0.01, 4],
    [0.05, 0],
    [0.2, 4],
  ] as const) {
    const network = { blocksPerCut: MAIN, cuts: 1_200, share, delayCuts, isOnHead: false };
    const { name, gain } = bestGain(network);
    t.diagnostic(`share ${share}, ${delayCuts} cuts ago: ${gain.toFixed(4)} (${name})`);
    assert.ok(gain < 1.01, `${name} with ${share} gains ${gain}, ${delayCuts} cuts ago`);
  }
});

test('with all other miners on the head, a small miner gains 14 percent and more', (t) => {
  const network = { blocksPerCut: MAIN, cuts: 2_500, share: 0.01, delayCuts: 0, isOnHead: true };
  const { name, gain } = bestGain(network);
  t.diagnostic(`${gain.toFixed(4)} (${name})`);
  assert.ok(gain > 1.14, `${name} gains ${gain}`);
});

test('with few blocks a cut, later information gains less than 1.5 percent at 8 and 6 at 2', (t) => {
  for (const [blocksPerCut, cuts, limit] of [
    [8, 4_000, 1.015],
    [2, 8_000, 1.06],
  ] as const) {
    const network = { blocksPerCut, cuts, share: 0.05, delayCuts: 0, isOnHead: false };
    const { name, gain } = bestGain(network);
    t.diagnostic(`${blocksPerCut} blocks a cut: ${gain.toFixed(4)} (${name})`);
    assert.ok(gain < limit, `${name} gains ${gain} at ${blocksPerCut} blocks a cut`);
  }
});
