/**
 * A state tree as a row of ranges: the largest subtrees of at most so many leaves, in the order of their keys. Where
 * ranges end follows from the set of keys alone, so that all nodes cut the state of a cut in the same way. The row and
 * the bits at which neighbours part give the root again.
 */
import { LABELS, Writer } from 'svc-wasm/base';
import { decodeSubtree, encodeSubtree, hashLabel } from 'svc-wasm/protocol';
import { StateRefusedError } from '../errors.ts';
import { SUBTREE_BYTES } from '../tree/bucket.ts';
import { BucketBuilder } from '../tree/bucket-builder.ts';
import { NO_NODE, SUBTREE_WORDS } from '../tree/node-table.ts';
import { TreeLoader } from '../tree/tree-loader.ts';
import { TreeTables } from '../tree/tree-tables.ts';
import type { TreeRanges } from './state-manifest.ts';

const COUNT_WORD = 14;

/** Cuts a settled tree. */
export function cutTree(tables: TreeTables, leavesMax: number): TreeRanges {
  const subtrees: Uint8Array[] = [];
  const partings: number[] = [];
  const visit = (parent: number, reference: number): void => {
    const { words, at } = tables.subtreeOf(parent, reference);
    const count =
      (words[at + COUNT_WORD] as number) + 2 ** 32 * (words[at + COUNT_WORD + 1] as number);
    if (reference < 0 || count <= leavesMax) {
      subtrees.push(new Uint8Array(words.slice(at, at + SUBTREE_WORDS).buffer));
      return;
    }
    const { nodes } = tables;
    visit(reference, nodes.left(reference));
    partings.push(nodes.bit(reference));
    visit(reference, nodes.right(reference));
  };
  if (tables.root !== undefined) visit(NO_NODE, tables.root);
  return { subtrees, partings };
}

interface Grown {
  readonly subtree: Uint8Array;
  /** The bit at which it parts from the one before it. */
  readonly before: number;
}

/** The subtree of the whole tree that a row of ranges belongs to. */
export function rootOfRanges({ subtrees, partings }: TreeRanges): Uint8Array {
  const stack: Grown[] = [];
  const join = (): void => {
    const right = stack.pop() as Grown;
    const left = stack.pop() as Grown;
    const subtree = nodeOf(right.before, left.subtree, right.subtree);
    stack.push({ subtree, before: left.before });
  };
  subtrees.forEach((subtree, index) => {
    const before = index === 0 ? -1 : (partings[index - 1] as number);
    while (stack.length > 1 && (stack.at(-1)?.before ?? 0) > before) join();
    if (stack.length > 1 && stack.at(-1)?.before === before)
      throw new StateRefusedError('ranges of a tree part twice at one bit');
    stack.push({ subtree, before });
  });
  while (stack.length > 1) join();
  return stack[0]?.subtree ?? new Uint8Array(SUBTREE_BYTES);
}

function nodeOf(bit: number, left: Uint8Array, right: Uint8Array): Uint8Array {
  const [one, other] = [decodeSubtree(left), decodeSubtree(right)];
  const hash = hashLabel(LABELS.node, new Writer(2).u16(bit).finish(), left, right);
  return encodeSubtree({ hash, sum: one.sum + other.sum, count: one.count + other.count });
}

/** The subtree of leaves `key | subtree` in ascending order; throws a `RangeError` if they are not. */
export function subtreeOfLeaves(leaves: readonly Uint8Array[]): Uint8Array {
  const builder = new BucketBuilder();
  for (const leaf of leaves) builder.push(leaf);
  builder.finish();
  const tables = new TreeTables();
  const loader = new TreeLoader(tables, leaves.length);
  for (const { record } of builder.takeWrites()) if (record !== undefined) loader.push(record);
  loader.finish();
  return new Uint8Array(tables.rootSubtree.slice().buffer);
}
