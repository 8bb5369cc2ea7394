import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { Head } from '../src/codec/meta-records.ts';
import { StoreDamagedError } from '../src/errors.ts';
import type { GuardedStore } from '../src/key-value/guarded-store.ts';
import { checkTrees } from '../src/open/check-trees.ts';
import { TreeFiles } from '../src/tree-files/tree-files.ts';
import type { StateTrees } from '../src/trees/state-trees.ts';
import { climb, ladderRoots, openLadder } from './testing/ladder-store.ts';

await init();

const NEVER = new AbortController().signal;

function savedTrees(directory: string, head: Head): StateTrees | undefined {
  return new TreeFiles(directory).restore({ read: () => undefined }, head);
}

test('a store whose trees were saved opens with them and continues with the same roots', async (t) => {
  const directory = temporaryDirectory(t);
  const roots = await ladderRoots(40);
  for (let height = 4; height <= 40; height += 4) {
    const store = await openLadder(directory);
    await climb(store, height);
    assert.equal(store.head?.stateRoot, roots[height]);
    await store.close();
    const { head } = store;
    const trees = head === null ? undefined : savedTrees(directory, head);
    assert.ok(trees !== undefined, 'the trees of the head are saved');
    assert.deepEqual(trees.roots, store.trees.roots);
    assert.equal(await checkTrees(trees, NEVER), undefined);
  }
});

test('trees of another cut, cut short or changed are built anew', async (t) => {
  const sound = temporaryDirectory(t);
  const store = await openLadder(sound);
  await climb(store, 10);
  const { head: older } = store;
  await climb(store, 12);
  await store.close();
  const file = join(sound, 'trees');
  const bytes = readFileSync(file);
  assert.ok(older !== null && savedTrees(sound, older) === undefined);
  const changes: ((path: string) => void)[] = [
    (path) => truncateSync(path, 0),
    (path) => truncateSync(path, 50),
    (path) => truncateSync(path, bytes.length - 1),
    (path) => writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(9)])),
    ...Array.from({ length: 40 }, (_, index) => (path: string) => {
      const changed = Buffer.from(bytes);
      const at = Math.floor((index * bytes.length) / 40);
      changed[at] = (changed[at] as number) ^ (1 << (index % 8));
      writeFileSync(path, changed);
    }),
  ];
  const directory = temporaryDirectory(t);
  cpSync(sound, directory, { recursive: true });
  const { head } = store;
  for (const change of changes) {
    change(join(directory, 'trees'));
    assert.ok(head !== null && savedTrees(directory, head) === undefined);
  }
  const opened = await openLadder(directory);
  assert.equal(opened.areTreesRestored, false);
  assert.equal(opened.head?.stateRoot, head?.stateRoot);
  await opened.close();
  assert.equal(statSync(join(directory, 'trees')).size, bytes.length, 'saved again');
});

test('saved trees that were wrong when they were saved are found by hashing them', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 30);
  const { head } = store;
  const { tables } = store.trees.committed('outputs');
  await store.close();
  assert.ok(tables.nodes.length > 2, 'there are inner nodes');
  const at = tables.nodes.subtreeAt(tables.nodes.length - 1, 1);
  tables.nodes.pairs[at] = (tables.nodes.pairs[at] as number) ^ 1;
  assert.ok(head !== null);
  new TreeFiles(directory).save(store.trees, head);
  const trees = savedTrees(directory, head);
  assert.ok(trees !== undefined);
  assert.match(String(await checkTrees(trees, NEVER)), /saved state trees are wrong/);
});

test('a store that was refused saves nothing', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 3);
  (store.keyValues as GuardedStore).refuse(new StoreDamagedError('a test'));
  await store.close();
  assert.equal(existsSync(join(directory, 'trees')), false);
});

test('a system that refuses the file keeps no store from being closed and opened again', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 3);
  mkdirSync(join(directory, 'trees.new'));
  await store.close();
  assert.equal(existsSync(join(directory, 'trees')), false);
  const again = await openLadder(directory);
  assert.equal(again.head?.height, 3);
  await again.close();
  assert.equal(existsSync(join(directory, 'trees')), true, 'saved the next time');
});
