import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { LEAF_BYTES } from './bucket.ts';
import { BucketBuilder } from './bucket-builder.ts';
import { BucketTree } from './bucket-tree.ts';
import { KEY_BYTES } from './key-bits.ts';

await init();

function leafWith(key: Uint8Array): Uint8Array {
  const leaf = new Uint8Array(LEAF_BYTES);
  leaf.set(key);
  leaf[KEY_BYTES + 48] = 5;
  leaf[KEY_BYTES + 56] = 1;
  return leaf;
}

/** Some keys share an address's half, some almost everything. */
function keysOf(count: number): Uint8Array[] {
  const halves = Array.from({ length: 9 }, () => randomBytes(KEY_BYTES / 2));
  const tail = randomBytes(KEY_BYTES - 1);
  return Array.from({ length: count }, (_, index) => {
    if (index % 3 === 0) return randomBytes(KEY_BYTES);
    if (index % 3 === 1)
      return Buffer.concat([halves[index % 9] as Buffer, randomBytes(KEY_BYTES / 2)]);
    return Buffer.concat([tail, randomBytes(1)]);
  });
}

test('leaves in order are cut into the buckets that a tree grows to', () => {
  for (const count of [0, 1, 2, 8, 9, 10, 60, 700]) {
    const leaves = new Map(
      keysOf(count).map((key) => [Buffer.from(key).toString('hex'), leafWith(key)]),
    );
    const tree = new BucketTree(() => undefined);
    for (const leaf of leaves.values()) tree.put(leaf);
    tree.settle();
    const grown = tree.writes().filter(({ record }) => record !== undefined);
    const builder = new BucketBuilder();
    for (const [, leaf] of [...leaves].sort(([a], [b]) => (a < b ? -1 : 1))) builder.push(leaf);
    builder.finish();
    const order = (a: { name: Uint8Array }, b: { name: Uint8Array }) =>
      Buffer.compare(a.name, b.name);
    assert.deepEqual(
      builder.takeWrites().map(plain),
      grown.sort(order).map(plain),
      `${count} leaves`,
    );
  }
});

function plain({ name, record }: { name: Uint8Array; record: Uint8Array | undefined }) {
  return [Buffer.from(name).toString('hex'), Buffer.from(record ?? []).toString('hex')];
}

test('leaves out of order are refused', () => {
  const builder = new BucketBuilder();
  builder.push(leafWith(new Uint8Array(KEY_BYTES).fill(2)));
  assert.throws(() => builder.push(leafWith(new Uint8Array(KEY_BYTES).fill(1))), RangeError);
  assert.throws(() => builder.push(leafWith(new Uint8Array(KEY_BYTES).fill(2))), RangeError);
});
