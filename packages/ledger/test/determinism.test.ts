import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyCut } from '../src/apply-cut.ts';
import { Overlay } from '../src/overlay.ts';
import { compareBlocks } from '../src/rules/registration.ts';
import { MemoryState } from '../src/testing/memory-state.ts';
import type { MemoryTrees } from '../src/testing/memory-trees.ts';
import type { StateView } from '../src/view.ts';
import { anyCut } from './model/actions.ts';
import { runModel } from './model/run.ts';
import type { TestChain } from './testing/test-chain.ts';

/** A chain that random cuts made, always the same. */
function eventfulChain(): TestChain {
  const [drawings = []] = fc.sample(fc.array(anyCut, { minLength: 60, maxLength: 60 }), {
    seed: 4_711,
    numRuns: 1,
  });
  return runModel(drawings, { interval: 12, cuts: 180, coverage: new Map() });
}

/** A fixed shuffle that needs no randomness. */
function shuffled<T>(items: readonly T[], salt: number): T[] {
  return items
    .map((item, index) => ({ item, rank: ((index + 1) * (salt * 2 + 7919)) % 10_007 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

interface Replay {
  readonly stateRoots: string[];
  readonly outcomeRoots: string[];
}

/** Replays a chain's cuts on a state that is filled in another order; `wrap` changes the view. */
function replay(chain: TestChain, salt: number, wrap: (view: StateView) => StateView): Replay {
  const state = new MemoryState();
  state.apply(shuffled(chain.genesis.changes, salt));
  let trees = chain.genesis.trees as MemoryTrees;
  const stateRoots: string[] = [];
  const outcomeRoots: string[] = [];
  for (const input of chain.inputs) {
    const registered = shuffled(input.registered, salt).sort(compareBlocks);
    const ports = { ...chain.ports, commitments: trees };
    const result = applyCut(ports, wrap(state), { ...input, registered });
    state.apply(shuffled(result.changes, salt + input.height));
    trees = result.trees as MemoryTrees;
    stateRoots.push(result.stateRoot);
    outcomeRoots.push(result.outcomeRoot);
  }
  return { stateRoots, outcomeRoots };
}

test('the same cuts give the same roots at every height, in whatever order state was written', () => {
  const chain = eventfulChain();
  const stateRoots = chain.results.map((result) => result.stateRoot);
  const outcomeRoots = chain.results.map((result) => result.outcomeRoot);
  assert.equal(new Set(stateRoots).size, stateRoots.length);
  for (const salt of [0, 1, 2]) {
    assert.deepEqual(
      replay(chain, salt, (view) => view),
      { stateRoots, outcomeRoots },
    );
  }
  assert.deepEqual(
    replay(chain, 3, (view) => new Overlay(view)),
    { stateRoots, outcomeRoots },
  );
});

test('a second run of the same drawings makes the same chain', () => {
  const [first, second] = [eventfulChain(), eventfulChain()];
  assert.deepEqual(
    first.results.map(({ stateRoot }) => stateRoot),
    second.results.map(({ stateRoot }) => stateRoot),
  );
});

test('the list of changes is ordered by table and key, and each change begins from what there is', () => {
  const chain = eventfulChain();
  for (const { changes } of chain.results) {
    const places = changes.map(({ table, key }) => `${table} ${key}`);
    assert.equal(new Set(places).size, places.length);
    assert.ok(changes.every(({ before, after }) => before !== after));
    for (const table of new Set(changes.map((change) => change.table))) {
      const keys = changes.filter((change) => change.table === table).map(({ key }) => key);
      assert.deepEqual(keys, [...keys].sort());
    }
  }
});
