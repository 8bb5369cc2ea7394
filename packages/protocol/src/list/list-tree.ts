/**
 * Merkle lists, `docs/protocol.md` 8.8: a list of any length under one root, with short proofs for each leaf. The tree
 * over n leaves splits at the largest power of two below n, as in RFC 9162; the root commits to the length too.
 */
import { LABELS } from '../base/labels.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { kernel } from '../kernel/current.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { kernelError } from '../kernel/kernel-errors.ts';

/** The kinds of leaves that are hashed in batches, by the numbers that the kernel knows. */
export const LIST_LEAVES = { outcome: 0, change: 1 } as const;
export type ListLeaf = keyof typeof LIST_LEAVES;

/** What precedes each record in a batch. */
const LENGTH_BYTES = 2;
const PAIR_BYTES = 2 * ID_BYTES;
/** The tree over no leaves. */
export const EMPTY_TREE: Uint8Array = new Uint8Array(ID_BYTES);

export function listNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashLabel(LABELS.list, left, right);
}

export function listRoot(count: number, tree: Uint8Array): Uint8Array {
  return hashLabel(LABELS.listRoot, new Writer(8).u64(BigInt(count)).finish(), tree);
}

/** The digests of leaves, one after another. */
export function hashListLeaves(kind: ListLeaf, records: readonly Uint8Array[]): Uint8Array {
  const instance = kernel();
  const { bytes, view, input, output } = instance;
  const countMax = Math.floor(instance.exports.outBytes() / ID_BYTES);
  const digests = new Uint8Array(records.length * ID_BYTES);
  let next = 0;
  while (next < records.length) {
    const first = next;
    let at = input;
    for (; next < records.length && next - first < countMax; next++) {
      const record = records[next] as Uint8Array;
      if (at + LENGTH_BYTES + record.length > input + instance.inputBytes) break;
      view.setUint16(at, record.length, true);
      bytes.set(record, at + LENGTH_BYTES);
      at += LENGTH_BYTES + record.length;
    }
    if (next === first) throw new RangeError('a leaf is larger than the kernel takes');
    const count = next - first;
    expectOk(instance.invoke((exports) => exports.listLeaves(LIST_LEAVES[kind], count)));
    digests.set(bytes.subarray(output, output + count * ID_BYTES), first * ID_BYTES);
  }
  return digests;
}

/** All levels of the tree over the digests of leaves, the leaves first; a node without a partner moves up unchanged. */
export function listLevels(leaves: Uint8Array): readonly Uint8Array[] {
  const levels = [leaves];
  let level = leaves;
  while (level.length > ID_BYTES) {
    level = levelAbove(level);
    levels.push(level);
  }
  return levels;
}

/** The root of the tree over the digests of leaves. */
export function listTree(leaves: Uint8Array): Uint8Array {
  return leaves.length === 0 ? EMPTY_TREE : (listLevels(leaves).at(-1) as Uint8Array);
}

function levelAbove(level: Uint8Array): Uint8Array {
  const instance = kernel();
  const { bytes, input, output } = instance;
  const pairs = Math.floor(level.length / PAIR_BYTES);
  const above = new Uint8Array(Math.ceil(level.length / PAIR_BYTES) * ID_BYTES);
  const countMax = Math.floor(instance.exports.outBytes() / ID_BYTES);
  for (let first = 0; first < pairs; first += countMax) {
    const count = Math.min(countMax, pairs - first);
    bytes.set(level.subarray(first * PAIR_BYTES, (first + count) * PAIR_BYTES), input);
    expectOk(instance.invoke((exports) => exports.listNodes(count)));
    above.set(bytes.subarray(output, output + count * ID_BYTES), first * ID_BYTES);
  }
  above.set(level.subarray(pairs * PAIR_BYTES), pairs * ID_BYTES);
  return above;
}

function expectOk(error: number): void {
  if (error !== 0) throw kernelError(error);
}

/** The root of the list with these leaves. */
export function rootOfList(kind: ListLeaf, records: readonly Uint8Array[]): Uint8Array {
  return listRoot(records.length, listTree(hashListLeaves(kind, records)));
}
