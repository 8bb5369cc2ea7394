/**
 * The state trees in memory, as plainly as they can be written: persistent binary Patricia trees whose
 * nodes are never changed. The reference for faster ones, and good enough for small states.
 */

import { outputValue } from '../commitment/leaf-values.ts';
import { subtreeBytes } from '../commitment/state-root.ts';
import {
  type Commitments,
  type LeafChange,
  type StagedTrees,
  type Subtree,
  TREES,
  type TreeName,
  type TreeRoots,
} from '../commitment/trees.ts';
import type { Hash } from '../context.ts';
import { concatBytes, LABELS, Writer } from '../protocol.ts';

const KEY_BITS = 512;

interface Leaf extends Subtree {
  readonly key: Uint8Array;
}

interface Inner extends Subtree {
  readonly key: Uint8Array;
  readonly bit: number;
  readonly left: Node;
  readonly right: Node;
}

type Node = Leaf | Inner;
type Root = Node | undefined;
type Roots = Readonly<Record<TreeName, Root>>;

const EMPTY: Subtree = { hash: new Uint8Array(48), sum: 0n, count: 0n };

function bitOf(key: Uint8Array, bit: number): number {
  return ((key[bit >> 3] as number) >> (7 - (bit & 7))) & 1;
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  for (let bit = 0; bit < KEY_BITS; bit++) if (bitOf(a, bit) !== bitOf(b, bit)) return bit;
  return KEY_BITS;
}

/** Trees as of one cut. `stage` returns the trees after it and leaves these alone. */
export class MemoryTrees implements Commitments, StagedTrees {
  readonly roots: TreeRoots;
  readonly #hash: Hash;
  readonly #nodes: Roots;

  constructor(hash: Hash, nodes: Roots = emptyRoots()) {
    this.#hash = hash;
    this.#nodes = nodes;
    const root = (tree: TreeName): Subtree => nodes[tree] ?? EMPTY;
    this.roots = {
      outputs: root('outputs'),
      positions: root('positions'),
      validators: root('validators'),
      keys: root('keys'),
    };
  }

  stage(changes: readonly LeafChange[]): MemoryTrees {
    const nodes: Record<TreeName, Root> = { ...this.#nodes };
    for (const change of changes) {
      const leaf = this.#leafOf(change);
      nodes[change.tree] = isPresent(change)
        ? this.#with(nodes[change.tree], leaf)
        : this.#without(nodes[change.tree], leaf.key);
    }
    return new MemoryTrees(this.#hash, nodes);
  }

  #leafOf(change: LeafChange): Leaf {
    const isOutput = change.tree === 'outputs';
    const value = isOutput ? outputValue(change.outpoint, change.output) : change.value;
    const bytes = value ?? new Uint8Array();
    const key = isOutput ? this.#outputKey(bytes) : change.key;
    const tree = Uint8Array.of(TREES[change.tree]);
    const hash = this.#hash(LABELS.leaf, tree, key, bytes);
    return { key, hash, sum: isOutput ? change.output.amount : change.sum, count: 1n };
  }

  #outputKey(value: Uint8Array): Uint8Array {
    const address = this.#hash(LABELS.treeKey, value.subarray(52, 101));
    const outpoint = this.#hash(LABELS.treeKey, value.subarray(0, 52));
    return concatBytes(address.subarray(0, 32), outpoint.subarray(0, 32));
  }

  #inner(bit: number, left: Node, right: Node): Inner {
    const bits = new Writer(2).u16(bit).finish();
    return {
      key: left.key,
      bit,
      left,
      right,
      hash: this.#hash(LABELS.node, bits, subtreeBytes(left), subtreeBytes(right)),
      sum: left.sum + right.sum,
      count: left.count + right.count,
    };
  }

  #with(node: Root, leaf: Leaf): Node {
    if (node === undefined) return leaf;
    const difference = firstDifference(node.key, leaf.key);
    if ('bit' in node && difference >= node.bit) {
      return bitOf(leaf.key, node.bit) === 0
        ? this.#inner(node.bit, this.#with(node.left, leaf), node.right)
        : this.#inner(node.bit, node.left, this.#with(node.right, leaf));
    }
    if (difference === KEY_BITS) return leaf;
    return bitOf(leaf.key, difference) === 0
      ? this.#inner(difference, leaf, node)
      : this.#inner(difference, node, leaf);
  }

  #without(node: Root, key: Uint8Array): Root {
    if (node === undefined) throw new RangeError('there is no such leaf');
    if (!('bit' in node)) {
      if (firstDifference(node.key, key) !== KEY_BITS) throw new RangeError('no such leaf');
      return undefined;
    }
    const goesLeft = bitOf(key, node.bit) === 0;
    const left = goesLeft ? this.#without(node.left, key) : node.left;
    const right = goesLeft ? node.right : this.#without(node.right, key);
    if (left === undefined || right === undefined) return left ?? right;
    return this.#inner(node.bit, left, right);
  }
}

function emptyRoots(): Roots {
  return { outputs: undefined, positions: undefined, validators: undefined, keys: undefined };
}

function isPresent(change: LeafChange): boolean {
  return change.tree === 'outputs' ? change.present : change.value !== undefined;
}
