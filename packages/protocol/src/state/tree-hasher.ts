/**
 * Tree hashing for a store: many leaves, buckets or nodes in as few kernel calls as fit. Arguments are
 * copied straight into the kernel's memory; results are handed out a call at a time, as words of
 * that memory that hold until the next call, so nothing is allocated for a node.
 */
import { kernel } from '../kernel/current.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import { KEYED_SUBTREE_BYTES, SUBTREE_BYTES } from './layout.ts';

const SUBTREE_WORDS = SUBTREE_BYTES / 4;
const PAIR_WORDS = 2 * SUBTREE_WORDS;

/** Takes the results `first` to `first + count - 1`: 16 words each, from `words[at]` on. */
export type TakeSubtrees = (first: number, count: number, words: Uint32Array, at: number) => void;

/** Inner nodes that part at the same bit, by their index in a table of pairs of subtrees. */
export interface NodeRun {
  readonly bit: number;
  /** The run is `nodes[start]` to `nodes[end - 1]`. */
  readonly nodes: Int32Array;
  readonly start: number;
  readonly end: number;
  /** 32 words for each node of the table: left subtree, right subtree. */
  readonly pairs: Uint32Array;
}

/** The subtrees of leaf records `key | sum u64 | value length u16 | value` of one tree. */
export function hashLeaves(tree: number, records: readonly Uint8Array[], take: TakeSubtrees): void {
  hashRecords(
    records,
    0,
    (instance, count) => expectOk(instance, (exports) => exports.treeLeaves(tree, count)),
    take,
  );
}

/** The subtrees of buckets, each given by its leaves `key | subtree` with ascending keys. */
export function hashBuckets(buckets: readonly Uint8Array[], take: TakeSubtrees): void {
  hashRecords(
    buckets,
    2,
    (instance, count) => expectOk(instance, (exports) => exports.treeBuckets(count)),
    take,
  );
}

/** The subtrees of inner nodes; none of one bit can be above another. */
export function hashNodes(run: NodeRun, take: TakeSubtrees): void {
  const instance = kernel();
  const words = new Uint32Array(instance.bytes.buffer);
  const countMax = instance.exports.outBytes() / SUBTREE_BYTES;
  const { bit, nodes, start, end, pairs } = run;
  for (let first = start; first < end; first += countMax) {
    const count = Math.min(countMax, end - first);
    let to = instance.input >> 2;
    for (let i = 0; i < count; i++) {
      const from = (nodes[first + i] as number) * PAIR_WORDS;
      for (let word = 0; word < PAIR_WORDS; word++) words[to++] = pairs[from + word] as number;
    }
    expectOk(instance, (exports) => exports.treeNodes(bit, count));
    take(first - start, count, words, instance.output >> 2);
  }
}

/** Puts as many records into each call as fit; with a head, the number of leaves goes in front. */
function hashRecords(
  records: readonly Uint8Array[],
  headBytes: 0 | 2,
  hash: (instance: KernelInstance, count: number) => void,
  take: TakeSubtrees,
): void {
  const instance = kernel();
  const words = new Uint32Array(instance.bytes.buffer);
  const countMax = instance.exports.outBytes() / SUBTREE_BYTES;
  let next = 0;
  while (next < records.length) {
    const first = next;
    let used = 0;
    for (; next < records.length && next - first < countMax; next++) {
      const record = records[next] as Uint8Array;
      if (used + headBytes + record.length > instance.inputBytes) break;
      const at = instance.input + used;
      if (headBytes > 0) instance.view.setUint16(at, record.length / KEYED_SUBTREE_BYTES, true);
      instance.bytes.set(record, at + headBytes);
      used += headBytes + record.length;
    }
    if (next === first) throw new RangeError('a tree record is larger than the kernel takes');
    hash(instance, next - first);
    take(first, next - first, words, instance.output >> 2);
  }
}

function expectOk(instance: KernelInstance, call: Parameters<KernelInstance['invoke']>[0]): void {
  const error = instance.invoke(call) as number;
  if (error !== 0) throw kernelError(error);
}
