/**
 * Trees are hashed two messages at a time where that is quicker. Every build and form of the kernel gives the same subtrees
 * and finds the same fault first.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { kernelTwins } from '../../test/kernel-twins.ts';
import { seededBytes } from '../../test/seeded-bytes.ts';
import { compareBytes, concatBytes } from '../base/bytes.ts';
import type { KernelExports } from './exports.ts';

const SUBTREE_BYTES = 64;
const SUM_AT = 48;
const COUNT_AT = 56;
const LEAF_BYTES = 128;
const ROUNDS = 40;

interface Answer {
  readonly error: number;
  readonly bytes: Uint8Array;
}

const twins = await kernelTwins({ expandedKeySlots: 0 });

/** The answers of all kernels to one call, which must be alike. */
function answerOf(
  input: Uint8Array,
  outBytes: number,
  call: (exports: KernelExports) => number,
): Answer {
  const answers = twins.map(({ name, instance }) => {
    instance.bytes.fill(0, instance.input, instance.input + instance.inputBytes);
    instance.bytes.set(input, instance.input);
    const error = instance.invoke(call);
    const { output } = instance;
    return { name, error, bytes: instance.bytes.slice(output, output + outBytes) };
  });
  const [first, ...others] = answers as [(typeof answers)[0], ...typeof answers];
  for (const { name, error, bytes } of others) {
    assert.equal(error, first.error, name);
    if (error === 0) assert.ok(compareBytes(bytes, first.bytes) === 0, name);
  }
  return first;
}

function numbers(label: string, count: number, below: number): number[] {
  const bytes = seededBytes(label, 4 * count);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Array.from({ length: count }, (_, place) => view.getUint32(4 * place) % below);
}

function subtree(label: string, sum = 5n, count = 1n): Uint8Array {
  const bytes = seededBytes(label, SUBTREE_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setBigUint64(SUM_AT, sum, true);
  view.setBigUint64(COUNT_AT, count, true);
  return bytes;
}

/** The leaves of a bucket in the order of their keys; keys begin alike, so that they part at bits of all kinds. */
function leavesOf(label: string, count: number): Uint8Array[] {
  const leaves = Array.from({ length: count }, (_, place) => {
    const key = seededBytes(`${label} key ${place}`, 64);
    key.fill(7, 0, (numbers(`${label} ${place}`, 1, 3)[0] ?? 0) * 9);
    return concatBytes(key, subtree(`${label} leaf ${place}`, BigInt(place)));
  });
  return leaves.sort(compareBytes);
}

function bucket(leaves: readonly Uint8Array[]): Uint8Array {
  return concatBytes(new Uint8Array([leaves.length & 0xff, leaves.length >> 8]), ...leaves);
}

/** An inner node as the document defines it. */
function nodeOf(bit: number, left: Uint8Array, right: Uint8Array): Uint8Array {
  const bits = new Uint8Array([bit & 0xff, bit >> 8]);
  const hash = createHash('sha384').update('SVC_NODE_V1').update(bits).update(left).update(right);
  const word = (bytes: Uint8Array, at: number): bigint =>
    new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);
  const node = new Uint8Array(SUBTREE_BYTES);
  node.set(hash.digest());
  const view = new DataView(node.buffer);
  for (const at of [SUM_AT, COUNT_AT])
    view.setBigUint64(at, word(left, at) + word(right, at), true);
  return node;
}

function firstDifference(one: Uint8Array, other: Uint8Array): number {
  for (let bit = 0; bit < 512; bit++) {
    const mask = 0x80 >> (bit & 7);
    if (((one[bit >> 3] ?? 0) & mask) !== ((other[bit >> 3] ?? 0) & mask)) return bit;
  }
  return 512;
}

/** The subtree of leaves in the order of their keys, from the top down. */
function treeOf(leaves: readonly Uint8Array[]): Uint8Array {
  const [first, last] = [leaves[0], leaves.at(-1)];
  if (first === undefined || last === undefined) return new Uint8Array(SUBTREE_BYTES);
  if (leaves.length === 1) return first.subarray(64);
  const bit = firstDifference(first, last);
  const middle = leaves.findIndex((leaf) => firstDifference(first, leaf) === bit);
  return nodeOf(bit, treeOf(leaves.slice(0, middle)), treeOf(leaves.slice(middle)));
}

test('inner nodes are as the document says, for even and odd numbers of them', () => {
  for (const count of [0, 1, 2, 3, 8, 1023, 1024]) {
    const pairs = Array.from({ length: count }, (_, place) => [
      subtree(`left ${count} ${place}`, BigInt(place)),
      subtree(`right ${count} ${place}`, 3n, BigInt(place + 1)),
    ]);
    const input = concatBytes(...pairs.flat());
    const { error, bytes } = answerOf(input, count * SUBTREE_BYTES, (exports) =>
      exports.treeNodes(300, count),
    );
    assert.equal(error, 0);
    const [left, right] = pairs.at(-1) ?? [];
    if (left !== undefined && right !== undefined)
      assert.deepEqual(bytes.slice(-SUBTREE_BYTES), nodeOf(300, left, right));
  }
});

test(`buckets of all sizes are as the document says, ${ROUNDS} batches of them`, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const label = `buckets ${round}`;
    const count = numbers(label, 1, 40)[0] ?? 0;
    const sizes = numbers(`${label} sizes`, count + 1, round % 4 === 0 ? 40 : 9).slice(1);
    const buckets = sizes.map((size, place) => leavesOf(`${label} ${place}`, size));
    const input = concatBytes(...buckets.map(bucket));
    const { error, bytes } = answerOf(input, count * SUBTREE_BYTES, (exports) =>
      exports.treeBuckets(count),
    );
    assert.equal(error, 0);
    const expected = concatBytes(...buckets.map(treeOf));
    assert.ok(compareBytes(bytes, expected) === 0, label);
  }
});

test('of several faults in buckets and nodes every kernel names the same', () => {
  const supply = (1n << 64n) - 1n;
  const seen = new Set<number>();
  for (let round = 0; round < 4 * ROUNDS; round++) {
    const label = `faults ${round}`;
    const buckets = [0, 1, 2, 3, 4, 5].map((place) => leavesOf(`${label} ${place}`, 5));
    for (const kind of numbers(label, 2, 18)) {
      const leaves = buckets[kind % 6] as Uint8Array[];
      const [first, second] = leaves as [Uint8Array, Uint8Array];
      const view = new DataView(second.buffer, second.byteOffset);
      if (kind < 6) leaves.splice(0, 2, second, first);
      else if (kind < 12) view.setBigUint64(64 + SUM_AT, supply, true);
      else view.setBigUint64(64 + COUNT_AT, 0n, true);
    }
    const input = concatBytes(...buckets.map(bucket));
    seen.add(answerOf(input, 0, (exports) => exports.treeBuckets(6)).error);
    const pairs = buckets.flatMap((leaves) => leaves.slice(0, 2).map((leaf) => leaf.subarray(64)));
    seen.add(answerOf(concatBytes(...pairs), 0, (exports) => exports.treeNodes(1, 6)).error);
  }
  seen.delete(0); // Leaves that are swapped twice are where they were.
  assert.equal(seen.size, 3, [...seen].join(' '));
});

test('a bucket that says it is longer than the memory is refused', () => {
  const long = new Uint8Array(512 * 1024);
  long.set(bucket(leavesOf('a whole one', 4)));
  long.set([0xff, 0xff], 2 + 4 * LEAF_BYTES);
  const { error } = answerOf(long, 0, (exports) => exports.treeBuckets(2));
  assert.notEqual(error, 0);
});

test('outputs have the same leaves, for even and odd numbers of them', () => {
  for (const count of [1, 2, 3, 64, 511, 512]) {
    const values = Array.from({ length: count }, (_, place) => {
      const value = seededBytes(`output ${count} ${place}`, 109);
      value[52] = 0;
      new DataView(value.buffer, value.byteOffset).setBigUint64(101, BigInt(place + 1), true);
      return value;
    });
    const input = concatBytes(...values);
    const { error, bytes } = answerOf(input, count * LEAF_BYTES, (exports) =>
      exports.treeOutputs(count),
    );
    assert.equal(error, 0);
    const hash = (...parts: readonly (string | Uint8Array)[]): Uint8Array => {
      const all = createHash('sha384');
      for (const part of parts) all.update(part);
      return new Uint8Array(all.digest());
    };
    values.forEach((value, place) => {
      const [outpoint, address] = [value.subarray(0, 52), value.subarray(52, 101)];
      const half = (part: Uint8Array) => hash('SVC_TREE_KEY_V1', part).subarray(0, 32);
      const key = concatBytes(half(address), half(outpoint));
      const found = bytes.subarray(place * LEAF_BYTES, (place + 1) * LEAF_BYTES);
      const leaf = hash('SVC_LEAF_V1', new Uint8Array([1]), key, value);
      assert.deepEqual(found.subarray(0, 112), concatBytes(key, leaf));
    });
  }
});
