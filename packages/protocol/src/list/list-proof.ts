/**
 * Proofs that leaves are in a Merkle list, for one leaf or many: the nodes beside the ways from the leaves to the root,
 * from left to right, each once; `docs/protocol.md` 8.8.
 */
import { equalBytes, expectBytes } from '../base/bytes.ts';
import type { Reader } from '../base/reader.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { Writer } from '../base/writer.ts';
import { EMPTY_TREE, listNode, listRoot } from './list-tree.ts';

export const LIST_PROOF_VERSION = 1;
/** A list has fewer leaves than this. */
export const LIST_LEAVES_MAX: number = 2 ** 48;
/** Leaves that one proof is about. */
export const PROVEN_LEAVES_MAX = 4_096;
const NODES_MAX: number = PROVEN_LEAVES_MAX * 48;

export interface ListProof {
  /** The length of the list. */
  readonly count: number;
  /** Positions of the leaves that are proven, ascending. */
  readonly indexes: readonly number[];
  /** Digests of 48 bytes. */
  readonly nodes: readonly Uint8Array[];
}

/** Gives the root of the tree over the leaves `first` to `end - 1`; asked only for ranges that the shape of the list has. */
export type NodeOver = (first: number, end: number) => Uint8Array;

/** The nodes that prove leaves; `indexes` ascend and are within the list. */
export function proveLeaves(
  count: number,
  indexes: readonly number[],
  nodeOver: NodeOver,
): ListProof {
  const nodes: Uint8Array[] = [];
  const collect = (first: number, end: number, from: number, to: number): void => {
    if (from === to) {
      nodes.push(nodeOver(first, end));
      return;
    }
    if (end - first === 1) return;
    const middle = first + splitOf(end - first);
    const part = partAt(indexes, middle, from, to);
    collect(first, middle, from, part);
    collect(middle, end, part, to);
  };
  if (indexes.length > 0) collect(0, count, 0, indexes.length);
  return { count, indexes, nodes };
}

/** Throws unless leaves with these digests stand at the proof's positions of the list with this root. */
export function checkLeaves(
  { count, indexes, nodes }: ListProof,
  leaves: readonly Uint8Array[],
  root: Uint8Array,
  path = 'proof',
): void {
  if (leaves.length !== indexes.length || (indexes.length === 0 && count > 0))
    throw new SvcError('bad_proof', 'another number of leaves than the proof has', { path });
  let taken = 0;
  const fold = (first: number, end: number, from: number, to: number): Uint8Array => {
    if (from === to) {
      const node = nodes[taken++];
      if (node === undefined) throw new SvcError('bad_proof', 'too few nodes', { path });
      return node;
    }
    if (end - first === 1) return leaves[from] as Uint8Array;
    const middle = first + splitOf(end - first);
    const part = partAt(indexes, middle, from, to);
    return listNode(fold(first, middle, from, part), fold(middle, end, part, to));
  };
  const tree = count === 0 ? EMPTY_TREE : fold(0, count, 0, indexes.length);
  if (taken !== nodes.length) throw new SvcError('bad_proof', 'more nodes than needed', { path });
  if (!equalBytes(listRoot(count, tree), root))
    throw new SvcError('wrong_list_root', 'the proof leads to another root', { path });
}

/** `version u8 | count u64 | varint n, indexes u64 | varint m, nodes`. */
export function encodeListProof(proof: ListProof): Uint8Array {
  const { count, indexes, nodes } = proof;
  expectPositions(proof, 'proof');
  const writer = new Writer().u8(LIST_PROOF_VERSION).u64(BigInt(count)).varint(indexes.length);
  for (const index of indexes) writer.u64(BigInt(index));
  writer.varint(nodes.length);
  for (const node of nodes) writer.raw(expectBytes(node, 'node', ID_BYTES));
  return writer.finish();
}

/** Reads a proof from a reader, whose end is not looked at. */
export function readListProof(reader: Reader, path = 'proof'): ListProof {
  if (reader.u8() !== LIST_PROOF_VERSION)
    throw new SvcError('unsupported_version', 'expected proof version 1', { path });
  const count = numberOf(reader.u64(), path);
  const length = expectAtMost(reader.varint(), PROVEN_LEAVES_MAX, path);
  const indexes = Array.from({ length }, () => numberOf(reader.u64(), path));
  const size = expectAtMost(reader.varint(), NODES_MAX, path);
  const nodes = Array.from({ length: size }, () => reader.raw(ID_BYTES));
  const proof = { count, indexes, nodes };
  expectPositions(proof, path);
  return proof;
}

/** The largest power of two below a length of at least two. */
export function splitOf(length: number): number {
  let power = 1;
  while (power * 2 < length) power *= 2;
  return power;
}

/** Of positions `from` to `to - 1`, which ascend, the first that is not below the middle. */
function partAt(indexes: readonly number[], middle: number, from: number, to: number): number {
  let part = from;
  while (part < to && (indexes[part] as number) < middle) part++;
  return part;
}

function expectPositions({ count, indexes }: ListProof, path: string): void {
  let last = -1;
  for (const index of indexes) {
    if (index <= last || index >= count)
      throw new SvcError('bad_proof', 'positions do not ascend within the list', { path });
    last = index;
  }
}

function numberOf(value: bigint, path: string): number {
  if (value >= BigInt(LIST_LEAVES_MAX))
    throw new SvcError('out_of_range', 'a list has fewer than 2^48 leaves', { path });
  return Number(value);
}

function expectAtMost(value: number, most: number, path: string): number {
  if (value <= most) return value;
  throw new SvcError('out_of_range', `expected at most ${most}, found ${value}`, { path });
}
