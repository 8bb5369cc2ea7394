import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { hashBuckets } from 'svc-wasm/protocol';
import { StoreDamagedError } from '../errors.ts';
import { BucketDamaged, LEAF_BYTES } from './bucket.ts';
import { BucketTree, TreeInconsistent } from './bucket-tree.ts';
import { KEY_BYTES } from './key-bits.ts';
import { TreeLoader } from './tree-loader.ts';

type Random = (below: number) => number;

await init();

/** A small generator, so that a failing seed can be run again. */
function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Keys that often share long prefixes, as outputs of one address do. */
function randomKey(random: Random): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  const address = random(40);
  for (let i = 0; i < KEY_BYTES / 2; i++) key[i] = (address * 31 * (i + 1)) & 0xff;
  for (let i = KEY_BYTES / 2; i < KEY_BYTES; i++) key[i] = random(256);
  if (random(4) === 0) for (let i = 0; i < KEY_BYTES; i++) key[i] = random(3);
  return key;
}

function leafOf(key: Uint8Array, random: Random): Uint8Array {
  const leaf = new Uint8Array(LEAF_BYTES);
  leaf.set(key);
  for (let i = 0; i < 48; i++) leaf[KEY_BYTES + i] = random(256);
  leaf[KEY_BYTES + 48] = random(256);
  leaf[KEY_BYTES + 56] = 1;
  return leaf;
}

function nameOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** The root from all leaves at once, by the kernel alone. */
function rootOf(leaves: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const sorted = [...leaves].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, leaf]) => leaf);
  let root = new Uint8Array(64);
  hashBuckets([Buffer.concat(sorted)], (_first, _count, words, at) => {
    root = new Uint8Array(words.slice(at, at + 16).buffer);
  });
  return root;
}

class Model {
  readonly store = new Map<string, Uint8Array>();
  readonly leaves = new Map<string, Uint8Array>();
  tree = new BucketTree((name) => this.store.get(nameOf(name)));

  put(leaf: Uint8Array): void {
    this.leaves.set(nameOf(leaf.subarray(0, KEY_BYTES)), leaf);
    this.tree.put(leaf);
  }

  remove(key: Uint8Array): void {
    this.leaves.delete(nameOf(key));
    this.tree.remove(key);
  }

  commit(): void {
    for (const { name, record } of this.tree.writes()) {
      if (record === undefined) this.store.delete(nameOf(name));
      else this.store.set(nameOf(name), record);
    }
    this.tree.commit();
  }

  /** As after a restart: a tree from nothing but the records. */
  reload(): void {
    this.tree = new BucketTree((name) => this.store.get(nameOf(name)));
    const loader = new TreeLoader(this.tree.tables, this.leaves.size);
    for (const [, record] of [...this.store].sort(([a], [b]) => (a < b ? -1 : 1))) {
      loader.push(record);
    }
    loader.finish();
  }
}

function randomChange(model: Model, random: Random, removals: number): void {
  const leaves = [...model.leaves.values()];
  const key = (leaves[random(leaves.length)] ?? new Uint8Array(LEAF_BYTES)).subarray(0, KEY_BYTES);
  if (leaves.length > 0 && random(100) < removals) model.remove(key);
  else if (leaves.length > 0 && random(8) === 0) model.put(leafOf(key, random));
  else model.put(leafOf(randomKey(random), random));
}

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  test(`the tree of buckets has the root of all its leaves, seed ${seed}`, () => {
    const random = randomOf(seed);
    const model = new Model();
    let most = 0;
    for (let batch = 0; batch < 40; batch++) {
      const removals = batch < 20 ? 30 : 70;
      for (let i = random(60); i >= 0; i--) randomChange(model, random, removals);
      assert.deepEqual(model.tree.settle(), rootOf(model.leaves), `batch ${batch}`);
      model.commit();
      if (random(4) === 0) {
        model.reload();
        assert.deepEqual(model.tree.root, rootOf(model.leaves), `reloaded ${batch}`);
      }
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
  const root = model.tree.settle();
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
  assert.deepEqual(model.tree.settle(), rootOf(model.leaves));
});

test('removing the last leaf empties tree and store', () => {
  const random = randomOf(11);
  const model = new Model();
  const key = randomKey(random);
  model.put(leafOf(key, random));
  model.tree.settle();
  model.commit();
  model.remove(key);
  assert.deepEqual(model.tree.settle(), new Uint8Array(64));
  model.commit();
  assert.equal(model.store.size, 0);
});

test('removing a key that is not there is a fault of the caller', () => {
  const model = new Model();
  assert.throws(() => model.tree.remove(new Uint8Array(KEY_BYTES)), TreeInconsistent);
});

test('a record under a foreign name, a torn and a missing one are found', () => {
  const random = randomOf(12);
  const model = new Model();
  for (let i = 0; i < 100; i++) model.put(leafOf(randomKey(random), random));
  model.tree.settle();
  model.commit();
  const [name, record] = [...model.store][7] as [string, Uint8Array];
  model.store.delete(name);
  model.store.set('ffff', record);
  assert.throws(() => model.reload(), TreeInconsistent);
  model.store.delete('ffff');
  model.store.set(`${name}00`, record);
  model.reload();
  assert.throws(() => model.tree.remove(record.subarray(64, 64 + KEY_BYTES)), StoreDamagedError);
  model.store.delete(`${name}00`);
  model.store.set(name, record.subarray(1));
  assert.throws(() => model.reload(), BucketDamaged);
  model.store.delete(name);
  assert.throws(() => {
    model.reload();
    assert.deepEqual(model.tree.root, rootOf(model.leaves));
  });
});

test('buckets that were changed lately are not read again, also after a change was reverted', () => {
  const random = randomOf(12);
  const model = new Model();
  let reads = 0;
  const tree = new BucketTree((name) => {
    reads++;
    return model.store.get(nameOf(name));
  });
  model.tree = tree;
  const keys = Array.from({ length: 200 }, () => randomKey(random));
  for (const key of keys) model.put(leafOf(key, random));
  tree.settle();
  model.commit();
  assert.deepEqual(tree.bucketsAhead(keys, 'removed').names, []);
  for (let round = 0; round < 20; round++) {
    for (let change = 0; change < 20; change++) tree.put(leafOf(randomKey(random), random));
    tree.remove([...model.leaves.values()][round]?.subarray(0, KEY_BYTES) as Uint8Array);
    tree.settle();
    tree.rollback();
    for (let change = 0; change < 20; change++) randomChange(model, random, 60);
    assert.deepEqual(tree.settle(), rootOf(model.leaves), `round ${round}`);
    model.commit();
  }
  assert.equal(reads, 0);
  model.reload();
  assert.deepEqual(model.tree.root, rootOf(model.leaves));
});
