import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { applyCut, genesisState, outpointKey } from 'svc-ledger';
import { MemoryState, MemoryTrees } from 'svc-ledger/testing';
import { init } from 'svc-wasm';
import { hashLabel } from 'svc-wasm/protocol';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import {
  applyLadder,
  LADDER_GENESIS,
  ladderInput,
  ladderPorts,
  stepLadder,
} from './testing/ladder-chain.ts';
import {
  climb,
  ladderOptions,
  ladderRoots,
  memoryLadder,
  openLadder,
} from './testing/ladder-store.ts';

await init();

test('roots are those of the plainest trees at every height, over several epochs', async () => {
  const store = await memoryLadder(0);
  const state = new MemoryState();
  const ports = ladderPorts(store);
  const genesis = genesisState(
    { ...ports, commitments: new MemoryTrees(hashLabel) },
    LADDER_GENESIS,
  );
  state.apply(genesis.changes);
  assert.equal(store.head?.stateRoot, genesis.stateRoot);
  let trees = genesis.trees as MemoryTrees;
  for (let height = 1; height <= 130; height++) {
    const expected = applyCut({ ...ports, commitments: trees }, state, ladderInput(height));
    state.apply(expected.changes);
    trees = expected.trees as MemoryTrees;
    const result = await stepLadder(store);
    assert.equal(result.stateRoot, expected.stateRoot, `height ${height}`);
    assert.deepEqual(result.changes, expected.changes, `height ${height}`);
  }
});

test('a store that is opened again continues as if it had never been closed', async (t) => {
  const roots = await ladderRoots(120);
  const directory = temporaryDirectory(t);
  for (const height of [0, 1, 2, 30, 97, 98, 120]) {
    const store = await openLadder(directory);
    await climb(store, height);
    assert.equal(store.head?.height, height);
    assert.equal(store.head?.stateRoot, roots[height]);
    await store.close();
  }
});

test('a cut that was applied but not decided leaves no trace', async () => {
  const roots = await ladderRoots(30);
  const store = await memoryLadder(20);
  const dropped = applyLadder(store, 21);
  store.discard();
  const again = applyLadder(store, 21);
  assert.equal(again.stateRoot, roots[21]);
  assert.equal(dropped.stateRoot, roots[21]);
  applyLadder(store, 21);
  await climb(store, 30);
  assert.equal(store.head?.stateRoot, roots[30]);
});

test('reading ahead changes nothing, also when another cut is applied then', async () => {
  const roots = await ladderRoots(60);
  for (const least of [0, 1_000]) {
    const store = await memoryLadder(40);
    for (let height = 41; height <= 60; height++) {
      await store.prepare(ladderInput(height), { least });
      if (height % 3 === 0) await store.prepare(ladderInput(height - 5), { least });
      if (height % 4 === 0) applyLadder(store, height);
      assert.equal((await stepLadder(store)).stateRoot, roots[height]);
    }
  }
});

test('after reading a small cut ahead nothing is read again of what it spends and makes', async () => {
  const keyValues = new MemoryStore();
  const store = await memoryLadder(40, keyValues);
  const input = ladderInput(41);
  await store.prepare(input, { least: 1_000 });
  const read: string[] = [];
  const getSync = keyValues.getSync.bind(keyValues);
  keyValues.getSync = (key) => {
    read.push(Buffer.from(key).toString('hex'));
    return getSync(key);
  };
  const spent = input.executed.flatMap(({ transactions }) =>
    transactions.flatMap(({ inputs }) => inputs.map(outpointKey)),
  );
  const there = spent.filter((key) => store.view.get('outputs', key) !== undefined);
  assert.ok(there.length > 0, 'the cut spends something');
  applyLadder(store, 41);
  const again = there.filter((key) => read.some((name) => name.endsWith(key)));
  assert.deepEqual(again, []);
});

test('a view that has followed many cuts shows what one on the stored records alone shows', async () => {
  const keyValues = new MemoryStore();
  const store = await memoryLadder(0, keyValues);
  const changed = new Map<string, { readonly table: 'outputs' | 'keys'; readonly key: string }>();
  let spent = 0;
  while ((store.head?.height ?? 0) < 60) {
    for (const { table, key, before, after } of (await stepLadder(store)).changes) {
      if (table === 'outputs' || table === 'keys') changed.set(`${table} ${key}`, { table, key });
      if (table === 'outputs' && before !== undefined && after === undefined) spent++;
    }
    const fresh = await openStoreOn(keyValues.copy(), ladderOptions());
    for (const { table, key } of changed.values())
      assert.deepEqual(store.view.get(table, key), fresh.view.get(table, key), `${table} ${key}`);
  }
  assert.ok(spent > 0, 'outputs were spent');
});

test('a cut that does not follow the head is refused', async () => {
  const store = await memoryLadder(3);
  await assert.rejects(async () => applyLadder(store, 5), /cut 5 after 3/);
});

test('the same records are in a store whatever way it came to its height', async () => {
  const through = new MemoryStore();
  await memoryLadder(40, through);
  const stopped = new MemoryStore();
  for (const height of [5, 6, 25, 40]) {
    const store = await openStoreOn(stopped, ladderOptions());
    if (height < 40) applyLadder(await climbed(store, height - 1), height);
    await climb(store, height);
  }
  const all = { from: Uint8Array.of(0), to: Uint8Array.of(255), limit: 1e9 };
  assert.deepEqual(await stopped.range(all), await through.range(all));
});

async function climbed(store: Awaited<ReturnType<typeof openLadder>>, height: number) {
  await climb(store, height);
  return store;
}
