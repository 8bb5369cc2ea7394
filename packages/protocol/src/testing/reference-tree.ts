/**
 * The tree of outputs as the document defines it, without regard to speed: the oracle that tests
 * compare others with, and a prover for them. A ledger has its own.
 */
import { compareBytes, concatBytes, equalBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { Writer } from '../base/writer.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import type { CompletenessProof } from '../state/completeness-proof.ts';
import { EMPTY_SUBTREE, KEY_BITS, PREFIX_BITS, TREES } from '../state/layout.ts';
import type { OutputProof } from '../state/output-proof.ts';
import type { Output } from '../state/output-value.ts';
import { encodeOutputValue } from '../state/output-value.ts';
import type { PathStep } from '../state/path.ts';
import type { OtherRoots } from '../state/state-root.ts';
import { stateRoot } from '../state/state-root.ts';
import { encodeSubtree } from '../state/subtree.ts';

interface Leaf {
  readonly key: Uint8Array;
  readonly output: Output;
}

interface Node {
  readonly bit: number;
  readonly left: Tree;
  readonly right: Tree;
}

interface Tree {
  readonly subtree: Uint8Array;
  readonly sum: bigint;
  readonly count: bigint;
  readonly inside: Leaf | Node;
}

export class ReferenceTree {
  readonly roots: OtherRoots;
  readonly #tree: Tree | undefined;

  constructor(outputs: readonly Output[], roots: OtherRoots) {
    const leaves = outputs.map((output) => ({ key: outputKey(output), output }));
    leaves.sort((a, b) => compareBytes(a.key, b.key));
    this.#tree = leaves.length === 0 ? undefined : build(leaves);
    this.roots = roots;
  }

  /** The 64 bytes of the whole tree. */
  get subtree(): Uint8Array {
    return this.#tree?.subtree ?? EMPTY_SUBTREE;
  }

  get stateRoot(): Uint8Array {
    return stateRoot({ outputs: this.subtree, ...this.roots });
  }

  proveOutput(output: Output): OutputProof {
    const { steps } = descend(this.#expectTree(), outputKey(output), KEY_BITS);
    return { output, path: steps, roots: this.roots };
  }

  proveCompleteness(address: Uint8Array): CompletenessProof {
    const { roots } = this;
    if (this.#tree === undefined) {
      return { address, outputs: [], neighbour: undefined, path: [], roots };
    }
    const prefix = concatBytes(treeKeyHalf(address), new Uint8Array(32));
    const { tree, steps } = descend(this.#tree, prefix, PREFIX_BITS);
    const outputs = leavesOf(tree).map((leaf) => leaf.output);
    if (outputs.some((output) => equalBytes(output.address, address))) {
      return { address, outputs, neighbour: undefined, path: steps, roots };
    }
    const [neighbour] = outputs as [Output];
    const { steps: path } = descend(this.#tree, outputKey(neighbour), KEY_BITS);
    return { address, outputs: [], neighbour, path, roots };
  }

  #expectTree(): Tree {
    if (this.#tree === undefined) throw new Error('the tree is empty');
    return this.#tree;
  }
}

export function outputKey(output: Output): Uint8Array {
  const outpoint = new Writer(52).raw(output.transactionId).u32(output.outputIndex).finish();
  return concatBytes(treeKeyHalf(output.address), treeKeyHalf(outpoint));
}

function treeKeyHalf(data: Uint8Array): Uint8Array {
  return hashLabel(LABELS.treeKey, data).subarray(0, 32);
}

function bitOf(key: Uint8Array, bit: number): number {
  return ((key[bit >> 3] as number) >> (7 - (bit & 7))) & 1;
}

function firstDifferentBit(a: Uint8Array, b: Uint8Array): number {
  for (let bit = 0; bit < KEY_BITS; bit++) if (bitOf(a, bit) !== bitOf(b, bit)) return bit;
  throw new Error('two outputs have the same key');
}

/** Builds the tree over leaves in ascending order; neighbours at the ends differ first. */
function build(leaves: readonly Leaf[]): Tree {
  const [first] = leaves as [Leaf];
  const last = leaves[leaves.length - 1] as Leaf;
  if (leaves.length === 1) return leafTree(first);
  const bit = firstDifferentBit(first.key, last.key);
  const split = leaves.findIndex(({ key }) => bitOf(key, bit) === 1);
  const left = build(leaves.slice(0, split));
  const right = build(leaves.slice(split));
  const hash = hashLabel(LABELS.node, new Writer(2).u16(bit).finish(), left.subtree, right.subtree);
  const sum = left.sum + right.sum;
  const count = left.count + right.count;
  return { subtree: encodeSubtree({ hash, sum, count }), sum, count, inside: { bit, left, right } };
}

function leafTree(leaf: Leaf): Tree {
  const number = Uint8Array.of(TREES.outputs);
  const hash = hashLabel(LABELS.leaf, number, leaf.key, encodeOutputValue(leaf.output));
  const sum = leaf.output.amount;
  return { subtree: encodeSubtree({ hash, sum, count: 1n }), sum, count: 1n, inside: leaf };
}

/** Follows a key down as far as the tree parts below `bitEnd`; the steps lead back up. */
function descend(
  tree: Tree,
  key: Uint8Array,
  bitEnd: number,
): { readonly tree: Tree; readonly steps: readonly PathStep[] } {
  const { inside } = tree;
  if ('key' in inside || inside.bit >= bitEnd) return { tree, steps: [] };
  const goesRight = bitOf(key, inside.bit) === 1;
  const below = descend(goesRight ? inside.right : inside.left, key, bitEnd);
  const sibling = (goesRight ? inside.left : inside.right).subtree;
  return { tree: below.tree, steps: [...below.steps, { bit: inside.bit, sibling }] };
}

function leavesOf({ inside }: Tree): Leaf[] {
  return 'key' in inside ? [inside] : [...leavesOf(inside.left), ...leavesOf(inside.right)];
}
