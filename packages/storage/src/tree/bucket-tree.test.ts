import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { init } from 'svc-wasm';
import { hashBuckets } from 'svc-wasm/internal';
import type { Leaf } from './bucket.ts';
import { packBucket, packLeaf } from './bucket.ts';
import { BucketTree, TreeInconsistent } from './bucket-tree.ts';

const TREE = 1;

before(() => init());

/** A small generator, so that a failing seed can be run again. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Keys that often share long prefixes, as outputs of one address do. */
function randomKey(random: (below: number) => number): Uint8Array {
  const key = new Uint8Array(48);
  const address = random(40);
  for (let i = 0; i < 24; i++) key[i] = (address * 31 * (i + 1)) & 0xff;
  for (let i = 24; i < 48; i++) key[i] = random(256);
  if (random(4) === 0) for (let i = 0; i < 48; i++) key[i] = random(3);
  return key;
}

class Model {
  readonly store = new Map<string, Uint8Array>();
  readonly leaves = new Map<string, Leaf>();
  readonly tree = new BucketTree(TREE, (prefix) => this.store.get(name(prefix)));

  put(leaf: Leaf): void {
    this.leaves.set(name(leaf.key), leaf);
    this.tree.put(leaf);
  }

  remove(key: Uint8Array): void {
    this.leaves.delete(name(key));
    this.tree.remove(key);
  }

  commit(): void {
    for (const { prefix, record } of this.tree.writes()) {
      if (record === undefined) this.store.delete(name(prefix));
      else this.store.set(name(prefix), record);
    }
    this.tree.commit();
  }

  /** The root from all leaves at once, by the kernel alone. */
  expectedRoot(): Uint8Array {
    const sorted = [...this.leaves.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, leaf]) => packLeaf(leaf));
    let root = new Uint8Array(64);
    if (sorted.length === 0) return root;
    hashBuckets(TREE, [packBucket(sorted)], (_, memory, offset) => {
      root = memory.slice(offset, offset + 64);
    });
    return root;
  }
}

function name(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function randomChange(model: Model, random: (below: number) => number, removals: number): void {
  const keys = [...model.leaves.values()];
  if (keys.length > 0 && random(100) < removals) {
    model.remove((keys[random(keys.length)] as Leaf).key);
    return;
  }
  const replaced =
    keys.length > 0 && random(8) === 0 ? (keys[random(keys.length)] as Leaf).key : undefined;
  model.put({
    key: replaced ?? randomKey(random),
    sum: BigInt(random(1000)),
    value: Uint8Array.of(random(256), 7),
  });
}

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  test(`the tree of buckets has the root of all its leaves, seed ${seed}`, () => {
    const random = randomOf(seed);
    const model = new Model();
    let most = 0;
    for (let batch = 0; batch < 40; batch++) {
      const removals = batch < 20 ? 30 : 70;
      for (let i = random(60); i >= 0; i--) randomChange(model, random, removals);
      assert.deepEqual(model.tree.settle(), model.expectedRoot(), `batch ${batch}`);
      model.commit();
      most = Math.max(most, model.leaves.size);
    }
    assert.ok(most > 100, `only ${most} leaves`);
  });
}

test('the records depend on the set of keys alone', () => {
  const random = randomOf(9);
  const grown = new Model();
  for (let i = 0; i < 400; i++) randomChange(grown, random, 45);
  grown.tree.settle();
  grown.commit();
  const built = new Model();
  for (const leaf of [...grown.leaves.values()].reverse()) built.put(leaf);
  built.tree.settle();
  built.commit();
  assert.deepEqual([...built.store].sort(), [...grown.store].sort());
});

test('a rolled back batch leaves no trace', () => {
  const random = randomOf(10);
  const model = new Model();
  for (let i = 0; i < 300; i++) randomChange(model, random, 20);
  const root = model.tree.settle().slice();
  model.commit();
  const leaves = new Map(model.leaves);
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 100; i++) randomChange(model, random, 60);
    assert.notDeepEqual(model.tree.settle(), root);
    model.tree.rollback();
    model.leaves.clear();
    for (const [key, leaf] of leaves) model.leaves.set(key, leaf);
    assert.deepEqual(model.tree.root, root);
  }
  for (let i = 0; i < 100; i++) randomChange(model, random, 60);
  assert.deepEqual(model.tree.settle(), model.expectedRoot());
});

test('removing the last leaf empties tree and store', () => {
  const model = new Model();
  const key = randomKey(randomOf(11));
  model.put({ key, sum: 5n, value: new Uint8Array(3) });
  model.tree.settle();
  model.commit();
  model.remove(key);
  assert.deepEqual(model.tree.settle(), new Uint8Array(64));
  model.commit();
  assert.equal(model.store.size, 0);
});

test('removing a key that is not there is a fault of the caller', () => {
  const model = new Model();
  assert.throws(() => model.tree.remove(new Uint8Array(48)), TreeInconsistent);
});
