/**
 * Cuts of a group whose changes are in the database, but not in trees and balances yet, because their state roots are vouched
 * for. Many buckets and nearly all nodes above them are changed by several cuts of a group, and are hashed once if the trees
 * apply all together; what one cut makes and another spends never gets there.
 */
import type {
  CheckRoots,
  DeferredTrees,
  LeafChange,
  OutpointKey,
  RecordLeafChange,
} from 'svc-ledger';
import type { Balance } from '../codec/index-records.ts';
import { nearlySorted, type OutputLeaf } from './output-leaves.ts';

export interface DeferredCut extends DeferredTrees {
  readonly changes: readonly LeafChange[];
  /** Created and spent outputs, with their leaves. */
  readonly outputs: readonly OutputLeaf[];
  readonly check: CheckRoots;
}

/** What several cuts change together. */
export interface DeferredChanges {
  readonly outputs: readonly OutputLeaf[];
  /** Changes of each cut in their order, since a record may be added, changed and removed. */
  readonly records: readonly (readonly RecordLeafChange[])[];
  /** The check of the last cut. */
  readonly check: CheckRoots;
}

export class DeferredCuts {
  #cuts: DeferredCut[] = [];
  /** How many of them the trees have applied. */
  #taken = 0;
  #leaves = 0;
  /** The cuts that the trees have not applied, merged at the first request. */
  #changes: DeferredChanges | undefined;
  /** By address: by how much the first cuts change balances. The amount may be negative. */
  readonly #balances = new Map<string, Balance>();
  /** How many cuts are counted in the balances, which are rarely requested. */
  #counted = 0;

  get isEmpty(): boolean {
    return this.#cuts.length === 0;
  }

  /** The number of created and spent outputs. */
  get leaves(): number {
    return this.#leaves;
  }

  add(cut: DeferredCut): void {
    this.#cuts.push(cut);
    this.#leaves += cut.outputs.length;
    this.#changes = undefined;
  }

  /** By how much the cuts change the balance of an address; undefined if they do not. */
  balanceOf(address: string): Balance | undefined {
    for (; this.#counted < this.#cuts.length; this.#counted++) {
      const { outputs } = this.#cuts[this.#counted] as DeferredCut;
      for (const { output, present } of outputs)
        this.#count(output.address, present ? output.amount : -output.amount, present ? 1 : -1);
    }
    return this.#balances.get(address);
  }

  #count(address: string, amount: bigint, outputs: number): void {
    const before = this.#balances.get(address);
    this.#balances.set(address, {
      amount: (before?.amount ?? 0n) + amount,
      outputs: (before?.outputs ?? 0) + outputs,
    });
  }

  /** What the trees have to apply; undefined if they have everything. */
  get changes(): DeferredChanges | undefined {
    const cuts = this.#cuts.slice(this.#taken);
    const last = cuts.at(-1);
    if (last !== undefined) this.#changes ??= joined(cuts, last.check);
    return this.#changes;
  }

  /** The trees have applied everything. */
  take(): void {
    this.#taken = this.#cuts.length;
    this.#changes = undefined;
  }

  clear(): void {
    this.#cuts = [];
    this.#taken = 0;
    this.#leaves = 0;
    this.#changes = undefined;
    this.#balances.clear();
    this.#counted = 0;
  }
}

function joined(cuts: readonly DeferredCut[], check: CheckRoots): DeferredChanges {
  const outputs = new Map<OutpointKey, OutputLeaf>();
  for (const cut of cuts)
    for (const leaf of cut.outputs) {
      // A spent output never comes back.
      if (leaf.present || !outputs.delete(leaf.outpoint)) outputs.set(leaf.outpoint, leaf);
    }
  return {
    outputs: nearlySorted([...outputs.values()], ({ leaf }) => leaf),
    records: cuts.map(({ changes }) =>
      changes.filter((change): change is RecordLeafChange => change.tree !== 'outputs'),
    ),
    check,
  };
}
