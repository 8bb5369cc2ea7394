/**
 * The four state trees over stored buckets: the ledger's port, and what a commit has to write. There is
 * one set of tables, so one cut is staged at a time; staging another, or reading a proof, takes the
 * staged one back first, and committing a cut that was reverted stages it again.
 *
 * Cuts whose roots are vouched for are accepted without the trees. Any read of the trees makes them apply
 * all such cuts first, so that no reader sees trees older than the last cut.
 */
import {
  type CheckRoots,
  type Commitments,
  type DeferredTrees,
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
import type { Balance } from '../codec/index-records.ts';
import { RecentTable } from '../state/recent-table.ts';
import {
  type BucketsAhead,
  BucketTree,
  type LeavesAhead,
  type OnDamage,
} from '../tree/bucket-tree.ts';
import { ChangeWords } from '../tree/change-words.ts';
import type { TableArray } from '../tree/growing.ts';
import { areNodesSound } from '../tree/hash-upwards.ts';
import { RecentBuckets } from '../tree/recent-buckets.ts';
import { TreeLoader } from '../tree/tree-loader.ts';
import { SHAPE_WORDS } from '../tree/tree-tables.ts';
import { balancesIn } from './balances.ts';
import { type DeferredCut, DeferredCuts } from './deferred-cuts.ts';
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
import { type TreeWrite, type TreeWrites, UnwrittenTrees } from './unwritten-trees.ts';

/** Reads a bucket of a tree by its name. */
export type ReadTreeBucket = (tree: number, name: Uint8Array) => Uint8Array | undefined;

/** Where trees read their buckets, and where they report one that is not theirs. */
export interface TreeSource {
  readonly read: ReadTreeBucket;
  readonly onDamage?: OnDamage | undefined;
}

/**
 * Which reverted cuts are noted: all of them while rows are being read, and afterwards the one that was staged when the
 * last row was read. A stalled chain reverts proposals without end.
 */
export type NotedUndone = 'none' | 'staged' | 'all';

/** Leaves of outputs that are kept, at about 500 bytes each: no fewer than a full cut makes and spends. */
const PREPARED_MAX = 32_768;

export const TREE_NAMES: readonly TreeName[] = ['outputs', 'positions', 'validators', 'keys'];

const RECORD_TREES = ['positions', 'validators', 'keys'] as const;

/** The trees after a cut that is not committed yet. */
export interface StagedCut extends StagedTrees {
  readonly changes: readonly LeafChange[];
  /** Created and spent outputs, with their leaves. */
  readonly outputs: readonly OutputLeaf[];
}

export class StateTrees implements Commitments {
  readonly #trees: Readonly<Record<TreeName, BucketTree>>;
  #staged: StagedCut | undefined;
  /** Set while the staged cut is being written; it must not change then. */
  #held = false;
  readonly #prepared: PreparedLeaves = new RecentTable(PREPARED_MAX);
  readonly #deferred = new DeferredCuts();
  /** What the database lacks of deferred cuts that the trees have applied. */
  readonly #unwritten = new UnwrittenTrees();
  /** What commits have changed, if that is wanted. */
  #changes: ChangeWords | undefined;
  #notedUndone: NotedUndone = 'none';

  /** `recentBuckets` of each tree are kept in memory, if that number is given in place of the usual one. */
  constructor(read: ReadTreeBucket, onDamage?: OnDamage, recentBuckets?: number) {
    const tree = (name: TreeName) =>
      new BucketTree(
        (bucket) => this.#unwritten.find(TREES[name], bucket) ?? read(TREES[name], bucket),
        onDamage,
        new RecentBuckets(recentBuckets),
      );
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

  /** The roots as committed. */
  get roots(): TreeRoots {
    this.discard();
    this.#takeOver();
    return this.#roots;
  }

  get #roots(): TreeRoots {
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

  /** The rows that a shape tells of, with what a cut changes that is staged; valid until the next change. */
  arrays(shape: Uint32Array): TableArray[] {
    return TREE_NAMES.flatMap((name, place) =>
      this.#trees[name].tables.arrays(shape, place * SHAPE_WORDS),
    );
  }

  /** The numbers of rows, and the roots. */
  shape(): Uint32Array<ArrayBuffer> {
    const shape = new ChangeWords();
    for (const name of TREE_NAMES) this.#trees[name].tables.packShape(shape);
    return shape.take();
  }

  /** Gives empty trees a shape; their rows are to be filled through `arrays` and `unpack`, which `filled` ends. */
  reshape(shape: Uint32Array): void {
    TREE_NAMES.forEach((name, place) => {
      const { tables } = this.#trees[name];
      tables.reserve(shape, place * SHAPE_WORDS);
      tables.unpackShape(shape, place * SHAPE_WORDS);
    });
  }

  /** Applies what `takeChanges` returned. */
  unpack(changes: Uint32Array): void {
    for (let at = 0; at < changes.length; )
      for (const name of TREE_NAMES) at = this.#trees[name].tables.unpack(changes, at);
  }

  filled(): void {
    for (const name of TREE_NAMES) this.#trees[name].tables.filled();
  }

  /** From now on the changes of commits are noted, for `takeChanges`, and some of the reverted ones. */
  noteChanges(undone: NotedUndone): void {
    this.#changes ??= new ChangeWords();
    this.#notedUndone = undone === 'staged' && this.#staged === undefined ? 'none' : undone;
  }

  forgetChanges(): void {
    this.#changes = undefined;
    this.#notedUndone = 'none';
  }

  /**
   * What has changed since the last call, with the pinned cut, which must then be committed; no other may be staged. The words are
   * overwritten after the next call.
   */
  takeChanges(): Uint32Array<ArrayBuffer> {
    if (this.#changes === undefined) throw new Error('changes of the trees are not noted');
    if (this.#held) this.#noteBatch();
    return this.#changes.take();
  }

  #noteBatch(): void {
    const changes = this.#changes;
    if (changes === undefined) return;
    for (const name of TREE_NAMES) this.#trees[name].tables.pack(changes);
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
    this.#takeOver();
    return this.#trees[name];
  }

  /**
   * Hashes outputs of transactions that a cut will make, or outputs of the committed state that it will spend; returns the buckets
   * that staging the cut will read.
   */
  prepare(named: readonly NamedOutput[], change: LeavesAhead): BucketsAhead {
    this.#takeOver();
    const leaves = this.prepareLeaves(named);
    return this.#bucketsAhead(
      nearlySorted(leaves, ({ leaf }) => leaf),
      change,
    );
  }

  /** Buckets that are outdated in the database are left out: they are handed over at once. */
  #bucketsAhead(leaves: readonly PreparedLeaf[], change: LeavesAhead): BucketsAhead {
    const keys = leaves.map(({ leaf }) => leaf);
    const ahead = this.#trees.outputs.bucketsAhead(keys, change);
    if (this.#unwritten.buckets.length === 0) return ahead;
    const places: number[] = [];
    ahead.names.forEach((name, place) => {
      const record = this.#unwritten.find(TREES.outputs, name);
      if (record === undefined) places.push(place);
      else ahead.offer(place, record);
    });
    return {
      names: places.map((place) => ahead.names[place] as Uint8Array),
      offer: (index, record) => ahead.offer(places[index] as number, record),
    };
  }

  /** Prepares leaves only, no buckets, for a deferred cut. */
  prepareLeaves(named: readonly NamedOutput[]): readonly PreparedLeaf[] {
    const leaves = leavesOfOutputs(named, this.#prepared);
    named.forEach(({ outpoint }, place) => {
      this.#prepared.set(outpoint, leaves[place] as PreparedLeaf);
    });
    return leaves;
  }

  stage(changes: readonly LeafChange[]): StagedCut {
    this.discard();
    this.#takeOver();
    const outputs = this.#outputLeaves(changes);
    this.#change(outputs, [changes.filter(isOfRecord)], () => {});
    this.#staged = { roots: this.#roots, changes, outputs };
    return this.#staged;
  }

  #outputLeaves(changes: readonly LeafChange[]): readonly OutputLeaf[] {
    return outputLeaves(changes.filter(isOfOutput), this.#prepared);
  }

  /**
   * Changes the trees and hashes them, which they allow once before they are committed or rolled back. If a bucket cannot be read,
   * or the roots are not what they have to be, they stay as they were.
   */
  #change(
    outputs: readonly OutputLeaf[],
    records: readonly (readonly RecordLeafChange[])[],
    check: CheckRoots,
  ): void {
    try {
      this.#changeOutputs(outputs);
      for (const name of RECORD_TREES) this.#changeRecords(name, records);
      check(this.#roots);
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  #rollback(): void {
    const undone = this.#notedUndone === 'none' ? undefined : this.#changes;
    for (const name of TREE_NAMES) this.#trees[name].rollback(undone);
    this.#forgetStaged();
  }

  #forgetStaged(): void {
    this.#staged = undefined;
    if (this.#notedUndone === 'staged') this.#notedUndone = 'none';
  }

  #changeOutputs(outputs: readonly OutputLeaf[]): void {
    const tree = this.#trees.outputs;
    for (const { present, leaf } of outputs) if (!present) tree.remove(keyOfLeaf(leaf));
    for (const { present, leaf } of outputs) if (present) tree.put(leaf);
    tree.settle();
  }

  #changeRecords(
    name: RecordLeafChange['tree'],
    records: readonly (readonly RecordLeafChange[])[],
  ): void {
    const tree = this.#trees[name];
    const own = records.map((some) => some.filter((change) => change.tree === name));
    if (own.every(({ length }) => length === 0)) return;
    for (const changes of own) {
      for (const { key, value } of changes) if (value === undefined) tree.remove(key);
      const present = changes.flatMap((change) =>
        change.value === undefined ? [] : [{ ...change, value: change.value }],
      );
      for (const leaf of leavesOfRecords(TREES[name], present)) tree.put(leaf);
    }
    tree.settle();
  }

  /** The changes of a cut that `accept` leaves for later; the check is called before anything of them can be written. */
  defer(changes: readonly LeafChange[], check: CheckRoots): DeferredCut {
    return { changes, outputs: this.#outputLeaves(changes), check };
  }

  /** The cut is the last one from now on. Its records must be readable in the same turn. */
  accept(cut: DeferredCut): void {
    this.discard();
    this.#deferred.add(cut);
  }

  /** Outputs that deferred cuts made and spent, of which something is still to be written. */
  get deferredLeaves(): number {
    return this.#deferred.leaves;
  }

  get hasUnwritten(): boolean {
    return !this.#deferred.isEmpty;
  }

  /** By how much deferred cuts change a balance whose record is still to be written. */
  readonly deferredBalance = (address: string): Balance | undefined =>
    this.#deferred.isEmpty ? undefined : this.#deferred.balanceOf(address);

  /** The buckets that taking over deferred cuts will read. */
  deferredBuckets(): readonly BucketsAhead[] {
    const { outputs } = this.#deferred.changes ?? { outputs: [] };
    if (outputs.length === 0) return [];
    return [
      this.#bucketsAhead(
        outputs.filter(({ present }) => !present),
        'removed',
      ),
      this.#bucketsAhead(
        outputs.filter(({ present }) => present),
        'put',
      ),
    ];
  }

  /** Brings the trees up to the last deferred cut, if that is what was vouched for. */
  #takeOver(): void {
    const { changes } = this.#deferred;
    if (changes === undefined) return;
    this.#change(changes.outputs, changes.records, changes.check);
    this.#unwritten.add(this.#changedBuckets(), balancesIn(this.#trees.outputs, changes.outputs));
    this.#noteBatch();
    for (const name of TREE_NAMES) this.#trees[name].commit();
    this.#deferred.take();
  }

  /** Makes this cut the staged one, and pins it until `commit` or `release`; one that is deferred needs no trees. */
  pin(trees: StagedTrees | DeferredTrees): StagedCut | DeferredCut {
    if (trees.roots === undefined) return trees as DeferredCut;
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
    this.#rollback();
  }

  /** What to write so that the store holds the trees with deferred cuts and the pinned one; a staged one that is not pinned is forgotten. */
  writes(): TreeWrites {
    if (!this.#held) this.discard();
    this.#takeOver();
    const { buckets, balances } = this.#unwritten;
    const staged = balancesIn(this.#trees.outputs, this.#staged?.outputs ?? []);
    return {
      buckets: [...buckets, ...this.#changedBuckets()],
      balances: [...balances, ...staged],
    };
  }

  #changedBuckets(): TreeWrite[] {
    return TREE_NAMES.flatMap((name) =>
      this.#trees[name].writes().map((write) => ({ tree: TREES[name], ...write })),
    );
  }

  /** What `writes` returned is readable in the store from now on. */
  written(): void {
    this.#deferred.clear();
    this.#unwritten.clear();
  }

  commit(): void {
    this.#held = false;
    for (const name of TREE_NAMES) this.#trees[name].commit();
    this.#forgetStaged();
  }
}

function isOfOutput(change: LeafChange): change is OutputLeafChange {
  return change.tree === 'outputs';
}

function isOfRecord(change: LeafChange): change is RecordLeafChange {
  return change.tree !== 'outputs';
}
