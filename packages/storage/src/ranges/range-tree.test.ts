import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { decodeSubtree } from 'svc-wasm/protocol';
import { StateRefusedError } from '../errors.ts';
import { LEAF_BYTES, SUBTREE_BYTES } from '../tree/bucket.ts';
import { BucketTree } from '../tree/bucket-tree.ts';
import { cutTree, rootOfRanges, subtreeOfLeaves } from './range-tree.ts';

await init();

/** A leaf whose key shares its first bytes with some others; its count and sum are 1. */
function leafOf(index: number): Uint8Array {
  const leaf = new Uint8Array(LEAF_BYTES);
  const random = createHash('sha512').update(`leaf ${index}`).digest();
  leaf.set(random.subarray(0, 64));
  leaf.fill(0xaa, 0, index % 5 === 0 ? 40 : index % 3);
  leaf.set(random.subarray(0, 48), 64);
  leaf[112] = 1;
  leaf[120] = 1;
  return leaf;
}

function sorted(count: number): Uint8Array[] {
  const leaves = Array.from({ length: count }, (_, index) => leafOf(index));
  return leaves.sort((a, b) => Buffer.compare(a.subarray(0, 64), b.subarray(0, 64)));
}

test('the ranges of a tree have its leaves in order and give its root again', () => {
  for (const count of [0, 1, 2, 8, 9, 33, 500]) {
    const leaves = sorted(count);
    const tree = new BucketTree(() => undefined);
    for (const leaf of leaves) tree.put(leaf);
    const root = tree.settle();
    for (const leavesMax of [8, 20, 100, 1_000]) {
      const ranges = cutTree(tree.tables, leavesMax);
      assert.deepEqual(rootOfRanges(ranges), root, `${count} leaves, ranges of ${leavesMax}`);
      let at = 0;
      for (const subtree of ranges.subtrees) {
        const held = Number(decodeSubtree(subtree).count);
        assert.ok(held <= leavesMax);
        assert.deepEqual(subtreeOfLeaves(leaves.slice(at, at + held)), subtree);
        at += held;
      }
      assert.equal(at, count);
    }
  }
});

test('leaves that are out of order and ranges that part twice at one bit are refused', () => {
  const [first, second, third] = sorted(3) as [Uint8Array, Uint8Array, Uint8Array];
  assert.throws(() => subtreeOfLeaves([second, first]), RangeError);
  assert.throws(() => subtreeOfLeaves([first, first]), RangeError);
  const subtrees = [first, second, third].map((leaf) => subtreeOfLeaves([leaf]));
  assert.throws(() => rootOfRanges({ subtrees, partings: [4, 4] }), StateRefusedError);
  assert.deepEqual(rootOfRanges({ subtrees: [], partings: [] }), new Uint8Array(SUBTREE_BYTES));
});
