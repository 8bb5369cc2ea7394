/**
 * Tree hashing for a store: many buckets or nodes in as few kernel calls as fit. Arguments are copied
 * straight into the kernel's memory and results are handed out as views that hold until the next
 * call, so nothing is allocated for a node.
 */
import { kernel } from '../kernel/current.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { kernelError } from '../kernel/kernel-errors.ts';

const SUBTREE_BYTES = 64;
const NODE_BYTES = 2 + 2 * SUBTREE_BYTES;

/** Takes the i-th result: 64 bytes at `offset` of `memory`. */
export type TakeSubtree = (index: number, memory: Uint8Array, offset: number) => void;

/** A run of inner nodes by index: the bit of each, and where its two subtrees lie together. */
export interface NodeRun {
  readonly count: number;
  bit(index: number): number;
  /** Offset into `memory` of 128 bytes: left subtree, right subtree. */
  offset(index: number): number;
  readonly memory: Uint8Array;
}

/** The subtrees of stored buckets; see `assembly/tree/buckets.ts` for the record. */
export function hashBuckets(tree: number, records: readonly Uint8Array[], take: TakeSubtree): void {
  const instance = kernel();
  const inBytes = instance.exports.inBytes();
  const countMax = instance.exports.outBytes() / SUBTREE_BYTES;
  let first = 0;
  while (first < records.length) {
    let used = 0;
    let next = first;
    for (; next < records.length && next - first < countMax; next++) {
      const record = records[next] as Uint8Array;
      if (used + record.length > inBytes) break;
      instance.bytes.set(record, instance.input + used);
      used += record.length;
    }
    const count = next - first;
    if (count === 0) throw new RangeError(`a tree record is larger than ${inBytes} bytes`);
    expectOk(instance, (exports) => exports.treeBuckets(tree, count));
    for (let i = 0; i < count; i++)
      take(first + i, instance.bytes, instance.output + i * SUBTREE_BYTES);
    first = next;
  }
}

/** The subtrees of inner nodes, none of which may be above another of the same run. */
export function hashNodes(nodes: NodeRun, take: TakeSubtree): void {
  const instance = kernel();
  const countMax = Math.min(
    instance.exports.outBytes() / SUBTREE_BYTES,
    Math.floor(instance.exports.inBytes() / NODE_BYTES),
  );
  for (let first = 0; first < nodes.count; first += countMax) {
    const count = Math.min(countMax, nodes.count - first);
    for (let i = 0; i < count; i++) {
      const at = instance.input + i * NODE_BYTES;
      const offset = nodes.offset(first + i);
      instance.view.setUint16(at, nodes.bit(first + i), true);
      instance.bytes.set(nodes.memory.subarray(offset, offset + 2 * SUBTREE_BYTES), at + 2);
    }
    expectOk(instance, (exports) => exports.treeNodes(count));
    for (let i = 0; i < count; i++)
      take(first + i, instance.bytes, instance.output + i * SUBTREE_BYTES);
  }
}

function expectOk(instance: KernelInstance, call: Parameters<KernelInstance['run']>[0]): void {
  const error = instance.run(call) as number;
  if (error !== 0) throw kernelError(error);
}
