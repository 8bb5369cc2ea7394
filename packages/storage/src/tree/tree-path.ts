/**
 * Paths of proofs: from a place in the tree up to the root, a bit and the sibling's subtree at each step.
 * Above a bucket they come from the tables, within it the kernel hashes runs of its leaves.
 */
import { hashBuckets, type PathStep } from 'svc-wasm/protocol';
import { bucketOf, leafCount, leavesOf, partingOf, SUBTREE_BYTES } from './bucket.ts';
import type { BucketTree } from './bucket-tree.ts';
import { bitAt } from './key-bits.ts';
import { NO_NODE, SUBTREE_WORDS } from './node-table.ts';

/** The result of a search: some leaves of a bucket, and the path up from there. */
export interface FoundLeaves {
  readonly record: Uint8Array;
  /** Leaves `start` to `end - 1` are below the last step that was taken. */
  readonly start: number;
  readonly end: number;
  readonly path: readonly PathStep[];
}

/** Follows a key down to a single leaf. Undefined in an empty tree. */
export function pathToLeaf(tree: BucketTree, key: Uint8Array): FoundLeaves | undefined {
  const bucket = tree.tables.find(key);
  if (bucket === undefined) return undefined;
  const above = stepsAbove(tree, ~bucket);
  const within = stepsWithin(tree.record(bucket), key, Number.POSITIVE_INFINITY);
  return { ...within, path: [...within.path, ...above] };
}

/**
 * The way up from the subtree of all leaves that share the key's first `bits` bits, or from the leaves
 * among which they would be. A subtree larger than a bucket has no leaves to show.
 */
export function pathToPrefix(
  tree: BucketTree,
  key: Uint8Array,
  bits: number,
): FoundLeaves | undefined {
  const { nodes, root } = tree.tables;
  if (root === undefined) return undefined;
  let reference: number = root;
  while (reference >= 0 && nodes.bit(reference) < bits) {
    reference = tree.tables.childTowards(reference, key);
  }
  const above = stepsAbove(tree, reference);
  if (reference >= 0) return { record: bucketOf(), start: 0, end: 0, path: above };
  const within = stepsWithin(tree.record(~reference), key, bits);
  return { ...within, path: [...within.path, ...above] };
}

/** From a node or bucket upwards; the deepest step first. */
function stepsAbove(tree: BucketTree, reference: number): PathStep[] {
  const { tables } = tree;
  const steps: PathStep[] = [];
  let child = reference;
  for (let node = tables.parentOf(child); node !== NO_NODE; node = tables.parentOf(child)) {
    const left = tables.nodes.left(node);
    const sibling = left === child ? tables.nodes.right(node) : left;
    const { words, at } = tables.subtreeOf(node, sibling);
    const subtree = new Uint8Array(words.slice(at, at + SUBTREE_WORDS).buffer);
    steps.push({ bit: tables.nodes.bit(node), sibling: subtree });
    child = node;
  }
  return steps;
}

function stepsWithin(record: Uint8Array, key: Uint8Array, bits: number): FoundLeaves {
  let start = 0;
  let end = leafCount(record);
  const path: PathStep[] = [];
  while (end - start > 1) {
    const { bit, middle } = partingOf(record, start, end);
    if (bit >= bits) break;
    const goesLeft = bitAt(key, bit) === 0;
    const [from, to] = goesLeft ? [middle, end] : [start, middle];
    path.unshift({ bit, sibling: subtreeOfLeaves(leavesOf(record, from, to)) });
    if (goesLeft) end = middle;
    else start = middle;
  }
  return { record, start, end, path };
}

function subtreeOfLeaves(leaves: Uint8Array): Uint8Array {
  let subtree = new Uint8Array(SUBTREE_BYTES);
  hashBuckets([leaves], (_first, _count, words, at) => {
    subtree = new Uint8Array(words.slice(at, at + SUBTREE_WORDS).buffer);
  });
  return subtree;
}
