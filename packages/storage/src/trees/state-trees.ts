/**
 * The four state trees over stored buckets: the ledger's port, and what a commit has to write. There is
 * one set of tables, so one cut is staged at a time; staging another, or reading a proof, takes the
 * staged one back first, and committing a cut that was taken back stages it again.
 */
import {
  type Commitments,
  type LeafChange,
  type NamedOutput,
  type OutputLeafChange,
  type RecordLeafChange,
  type StagedTrees,
  TREES,
  type TreeName,
  type TreeRoots,
} from 'svc-ledger';
import { decodeSubtree } from 'svc-wasm/protocol';
import { RecentTable } from '../state/recent-table.ts';
import {
  type BucketsAhead,
  BucketTree,
  type LeavesAhead,
  type OnDamage,
} from '../tree/bucket-tree.ts';
import type { NextSaved, SavedArray } from '../tree/growing.ts';
import { areNodesSound } from '../tree/hash-upwards.ts';
import { TreeLoader } from '../tree/tree-loader.ts';
import {
  keyOfLeaf,
  leavesOfOutputs,
  nearlySorted,
  type OutputLeaf,
  outputLeaves,
  type PreparedLeaf,
  type PreparedLeaves,
} from './output-leaves.ts';
import { leavesOfRecords } from './record-leaves.ts';

/** Reads a bucket of a tree by its name. */
export type ReadTreeBucket = (tree: number, name: Uint8Array) => Uint8Array | undefined;

export interface TreeWrite {
  readonly tree: number;
  readonly name: Uint8Array;
  readonly record: Uint8Array | undefined;
}

/** Leaves of outputs that are kept, at about 500 bytes each: no fewer than a full cut makes and spends. */
const PREPARED_MAX = 32_768;

export const TREE_NAMES: readonly TreeName[] = ['outputs', 'positions', 'validators', 'keys'];

/** The trees after a cut that is not committed yet. */
export interface StagedCut extends StagedTrees {
  readonly changes: readonly LeafChange[];
  /** Outputs that came or went, with their leaves. */
  readonly outputs: readonly OutputLeaf[];
}

export class StateTrees implements Commitments {
  readonly #trees: Readonly<Record<TreeName, BucketTree>>;
  #staged: StagedCut | undefined;
  /** Set while the staged cut is being written; it must not change then. */
  #held = false;
  readonly #prepared: PreparedLeaves = new RecentTable(PREPARED_MAX);

  constructor(read: ReadTreeBucket, onDamage?: OnDamage) {
    const tree = (name: TreeName) =>
      new BucketTree((bucket) => read(TREES[name], bucket), onDamage);
    this.#trees = {
      outputs: tree('outputs'),
      positions: tree('positions'),
      validators: tree('validators'),
      keys: tree('keys'),
    };
  }

  get memoryBytes(): number {
    return TREE_NAMES.reduce((sum, name) => sum + this.#trees[name].tables.bytes, 0);
  }

  /** The roots after the staged cut or, if none is staged, after the last commit. */
  get roots(): TreeRoots {
    const root = (name: TreeName) => decodeSubtree(this.#trees[name].root);
    return {
      outputs: root('outputs'),
      positions: root('positions'),
      validators: root('validators'),
      keys: root('keys'),
    };
  }

  loader(name: TreeName, leavesExpected: number): TreeLoader {
    return new TreeLoader(this.#trees[name].tables, leavesExpected);
  }

  /** The memory of all committed trees, for a file; valid until the next change. */
  saved(): SavedArray[] {
    this.discard();
    return TREE_NAMES.flatMap((name) => this.#trees[name].tables.saved());
  }

  /** Takes over what `saved` gave; the trees must be empty. */
  restore(next: NextSaved): void {
    for (const name of TREE_NAMES) this.#trees[name].tables.restore(next);
  }

  /** Hashes all inner nodes a few at a time, and says after each few whether they are what the nodes above keep. */
  *checkNodes(count: number): Generator<boolean, void> {
    for (const name of TREE_NAMES) {
      const { tables } = this.#trees[name];
      for (let from = 0; from < tables.nodes.length; from += count)
        yield areNodesSound(tables, from, count);
    }
  }

  /** A tree as committed. */
  committed(name: TreeName): BucketTree {
    this.discard();
    return this.#trees[name];
  }

  /** The tree of outputs, with the staged cut if there is one. */
  get outputs(): BucketTree {
    return this.#trees.outputs;
  }

  /**
   * Hashes outputs of transactions that a cut will make, or outputs of the committed state that it will spend; returns the buckets
   * that staging the cut will read.
   */
  prepare(named: readonly NamedOutput[], change: LeavesAhead): BucketsAhead {
    const leaves = leavesOfOutputs(named, this.#prepared);
    named.forEach(({ outpoint }, place) => {
      this.#prepared.set(outpoint, leaves[place] as PreparedLeaf);
    });
    return this.#trees.outputs.bucketsAhead(
      nearlySorted(leaves, ({ leaf }) => leaf).map(({ leaf }) => leaf),
      change,
    );
  }

  stage(changes: readonly LeafChange[]): StagedCut {
    this.discard();
    const outputs = outputLeaves(
      changes.filter((change): change is OutputLeafChange => change.tree === 'outputs'),
      this.#prepared,
    );
    this.#changeOutputs(outputs);
    for (const name of ['positions', 'validators', 'keys'] as const) {
      const own = changes.filter((change): change is RecordLeafChange => change.tree === name);
      if (own.length > 0) this.#changeRecords(name, own);
    }
    this.#staged = { roots: this.roots, changes, outputs };
    return this.#staged;
  }

  #changeOutputs(outputs: readonly OutputLeaf[]): void {
    const tree = this.#trees.outputs;
    for (const { present, leaf } of outputs) if (!present) tree.remove(keyOfLeaf(leaf));
    for (const { present, leaf } of outputs) if (present) tree.put(leaf);
    tree.settle();
  }

  #changeRecords(name: 'positions' | 'validators' | 'keys', changes: RecordLeafChange[]): void {
    const tree = this.#trees[name];
    for (const { key, value } of changes) if (value === undefined) tree.remove(key);
    const present = changes.flatMap((change) =>
      change.value === undefined ? [] : [{ ...change, value: change.value }],
    );
    for (const leaf of leavesOfRecords(TREES[name], present)) tree.put(leaf);
    tree.settle();
  }

  /** Makes this cut the staged one, and pins it until `commit` or `release`. */
  pin(trees: StagedTrees): StagedCut {
    const staged = trees === this.#staged ? this.#staged : this.stage((trees as StagedCut).changes);
    this.#held = true;
    return staged;
  }

  release(): void {
    this.#held = false;
  }

  /** Forgets a staged cut that was not decided. */
  discard(): void {
    if (this.#held) throw new Error('the trees are being written');
    if (this.#staged === undefined) return;
    for (const name of TREE_NAMES) this.#trees[name].rollback();
    this.#staged = undefined;
  }

  /** The bucket records to write so that the store holds the staged trees. */
  writes(): TreeWrite[] {
    return TREE_NAMES.flatMap((name) =>
      this.#trees[name].writes().map((write) => ({ tree: TREES[name], ...write })),
    );
  }

  commit(): void {
    this.#held = false;
    for (const name of TREE_NAMES) this.#trees[name].commit();
    this.#staged = undefined;
  }
}
