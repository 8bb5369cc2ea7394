/**
 * Sum and number of all leaves that begin with the same bits: for outputs, the balance of an address.
 * Most often it is answered by the tables and records at hand.
 */
import { leafAt, leafCount } from './bucket.ts';
import type { BucketTree } from './bucket-tree.ts';
import { bitAt, firstDifference, KEY_BYTES } from './key-bits.ts';
import { NO_NODE } from './node-table.ts';

export interface PrefixSubtree {
  readonly sum: bigint;
  readonly count: number;
}

const NOTHING: PrefixSubtree = { sum: 0n, count: 0 };
const SUM_WORD = 12;
const COUNT_WORD = 14;
const SUM_AT = KEY_BYTES + 48;

/** `prefix` is `bits` long, in whole bytes. The tree must be settled. */
export function prefixSubtree(tree: BucketTree, prefix: Uint8Array, bits: number): PrefixSubtree {
  const { nodes, root } = tree.tables;
  if (root === undefined) return NOTHING;
  let parent = NO_NODE;
  let reference: number = root;
  while (reference >= 0 && nodes.bit(reference) < bits) {
    parent = reference;
    const side = bitAt(prefix, nodes.bit(parent));
    reference = side === 0 ? nodes.left(parent) : nodes.right(parent);
  }
  if (reference < 0) return withinBucket(tree, ~reference, prefix, bits);
  return belowNode(tree, parent, reference, prefix, bits);
}

/** All leaves below share the prefix of any of them. */
function belowNode(
  tree: BucketTree,
  parent: number,
  node: number,
  prefix: Uint8Array,
  bits: number,
): PrefixSubtree {
  const { nodes, buckets } = tree.tables;
  let reference = node;
  while (reference >= 0) reference = nodes.left(reference);
  if (firstDifference(prefix, buckets.prefixes, bits, 0, buckets.prefixAt(~reference)) < bits) {
    return NOTHING;
  }
  const { words, at } = tree.tables.subtreeOf(parent, node);
  const low = BigInt(words[at + SUM_WORD] as number);
  const high = BigInt(words[at + SUM_WORD + 1] as number);
  const count =
    (words[at + COUNT_WORD] as number) + 2 ** 32 * (words[at + COUNT_WORD + 1] as number);
  return { sum: low | (high << 32n), count };
}

function withinBucket(
  tree: BucketTree,
  bucket: number,
  prefix: Uint8Array,
  bits: number,
): PrefixSubtree {
  const { buckets } = tree.tables;
  const shared = Math.min(bits, buckets.bits(bucket));
  const at = buckets.prefixAt(bucket);
  if (firstDifference(prefix, buckets.prefixes, shared, 0, at) < shared) return NOTHING;
  const record = tree.record(bucket);
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  let sum = 0n;
  let count = 0;
  for (let index = 0; index < leafCount(record); index++) {
    if (firstDifference(prefix, record, bits, 0, leafAt(index)) < bits) continue;
    sum += view.getBigUint64(leafAt(index) + SUM_AT, true);
    count++;
  }
  return { sum, count };
}
