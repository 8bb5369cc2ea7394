import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawNodePlan } from '../plan/node-plan.ts';
import type { FaultName } from '../plan/plan.ts';
import { linksOf } from './peer-net.ts';

const SEEDS = 400;
const OPTIONS = {
  validatorsMin: 4,
  validatorsMax: 7,
  always: new Set<FaultName>(['peers', 'rotation']),
};

test('whoever stays reaches everybody else who stays, also where both of its peers are gone for good', () => {
  let isolated = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const plan = drawNodePlan(seed, OPTIONS);
    assert.ok(plan.peers !== undefined);
    const count = plan.validators + plan.peers.observers;
    const nodes = Array.from({ length: count }, (_, index) => ({ index }));
    const links = linksOf(nodes, plan, plan.peers);
    const staying = nodes.filter(({ index }) => !plan.gone.has(index)).map(({ index }) => index);
    const reached = new Set(staying.slice(0, 1));
    for (const from of reached)
      for (const link of links) {
        const [a, b] = link.map(({ index }) => index) as [number, number];
        const other = a === from ? b : b === from ? a : undefined;
        if (other !== undefined && !plan.gone.has(other)) reached.add(other);
      }
    assert.equal(reached.size, staying.length, `seed ${seed}`);
    const hasPeer = (at: number) =>
      [at + 1, at + count - 1].some((other) => !plan.gone.has(other % count));
    if (!plan.peers.isStar && staying.some((at) => !hasPeer(at))) isolated += 1;
  }
  assert.ok(isolated > 0, 'there are seeds in which both neighbours in the ring are gone');
});
