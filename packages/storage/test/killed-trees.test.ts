/** Trees and their files through cuts, proposals, groups, bases and kills in any order, compared with trees that are built. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { TreeFilesPace } from '../src/tree-files/tree-files.ts';
import { KILLS, type Kill, KilledTrees, type Start } from './testing/killed-trees.ts';
import { assertSameTrees } from './testing/tree-ledger.ts';

await init();

const RUNS = 30;
/** A new base for every few cuts, of some ten pieces. */
const PACE: TreeFilesPace = {
  tableBytesMin: 0,
  logBytesMin: 8_000,
  pieceBytes: 1_500,
  pauseMillis: 0,
};

const contents = {
  made: fc.integer({ min: 0, max: 20 }),
  spent: fc.array(fc.nat(), { maxLength: 20 }),
};
const kill = fc.option(fc.constantFrom(...KILLS), { nil: undefined, freq: 4 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('commit' as const), ...contents, kill }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ...contents }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('defer' as const), ...contents }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('propose' as const), ...contents }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('discard' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ask' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const), kill }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('turns' as const), count: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end base' as const), ...contents }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(store: KilledTrees, step: Step): Promise<Start | undefined> {
  switch (step.kind) {
    case 'commit':
      return store.commit(step, { kill: step.kill });
    case 'wait':
      return store.commit(step, { mayWait: true });
    case 'defer':
      store.defer(step);
      return undefined;
    case 'propose':
      store.propose(step);
      return undefined;
    case 'discard':
      store.trees.discard();
      return undefined;
    case 'ask':
      store.trees.committed('outputs');
      return undefined;
    case 'flush':
      return store.flush(step.kill);
    case 'turns':
      for (let left = step.count; left > 0; left--) await sleep(1);
      return undefined;
    case 'end base':
      await until(async () => {
        await store.commit(step);
        return !store.isWritingBase;
      }, 'the end of a base');
      return undefined;
    case 'reopen':
      return store.reopen();
  }
}

test('after any kill the trees that are read are those that would be built, and they are read whenever there is a base', async (t) => {
  const root = temporaryDirectory(t);
  const seen = new Map<string, number>();
  const see = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
      const directory = join(root, `${++run}`);
      mkdirSync(directory);
      const store = new KilledTrees(directory, PACE);
      for (const step of steps) {
        const { generation } = store;
        const start = await take(store, step);
        if (generation !== store.generation) see('another base');
        if (start === undefined) continue;
        assert.equal(start.isRestored, start.hadBase, `a base is used, ${step.kind}`);
        assertSameTrees(store.trees, store.builtTrees);
        see(start.isRestored ? 'restored' : 'built');
        if (start.isRestored && step.kind !== 'reopen') see(killOf(step));
      }
      const last = await store.reopen();
      assert.equal(last.isRestored, true);
      assertSameTrees(store.trees, store.builtTrees);
      await store.reopen();
    }),
    { numRuns: RUNS },
  );
  t.diagnostic(JSON.stringify([...seen]));
  for (const what of ['another base', 'built', ...KILLS])
    assert.ok((seen.get(what) ?? 0) > 3, `${what}: ${seen.get(what)}`);
});

for (const when of ['before', 'after'] as const)
  test(`a base with rows of a proposal is right once that was reverted, ${when} its last row was read`, async (t) => {
    const store = new KilledTrees(temporaryDirectory(t), { ...PACE, pauseMillis: 5 });
    const many = Array.from({ length: 200 }, (_, place) => place);
    await store.commit({ made: 400, spent: [] });
    for (const isWriting of [false, true])
      await until(async () => {
        await store.commit({ made: 20, spent: [] });
        return store.isWritingBase === isWriting;
      }, 'a base that is begun when there is one');
    store.propose({ made: 300, spent: many });
    const missing = () => store.bytesMissing;
    const wanted = when === 'after' ? 0 : missing() / 2;
    await until(() => missing() <= wanted, 'rows of the proposal');
    assert.equal(missing() === 0, when === 'after');
    store.trees.discard();
    await until(async () => {
      await store.commit({ made: 1, spent: [] });
      return !store.isWritingBase;
    }, 'its end');
    const start = await store.commit({ made: 1, spent: [] }, { kill: 'committed' });
    assert.equal(start?.isRestored, true);
    assertSameTrees(store.trees, store.builtTrees);
    await store.reopen();
  });

function killOf(step: Step): Kill {
  assert.ok('kill' in step && step.kill !== undefined);
  return step.kill;
}
