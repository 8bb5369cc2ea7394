/**
 * Cuts of a group whose changes the database has without what follows for trees and balances, because their state roots are vouched
 * for. Many buckets and nearly all nodes above them are changed by several cuts of a group, and are hashed once if the trees take
 * all over together; what one cut makes and another spends never gets there.
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
  /** Outputs that came or went, with their leaves. */
  readonly outputs: readonly OutputLeaf[];
  readonly check: CheckRoots;
}

/** What several cuts change together. */
export interface DeferredChanges {
  readonly outputs: readonly OutputLeaf[];
  /** Of each cut in their order, for a record may come, change and go. */
  readonly records: readonly (readonly RecordLeafChange[])[];
  /** Of the last cut. */
  readonly check: CheckRoots;
}

export class DeferredCuts {
  #cuts: DeferredCut[] = [];
  /** So many of them the trees have taken over. */
  #taken = 0;
  #leaves = 0;
  /** What those are together that the trees have not taken over, once somebody has asked. */
  #changes: DeferredChanges | undefined;
  /** By address: by how much the first cuts change balances. The amount may be negative. */
  readonly #balances = new Map<string, Balance>();
  /** So many cuts are counted in the balances: mostly nobody asks for one. */
  #counted = 0;

  get isEmpty(): boolean {
    return this.#cuts.length === 0;
  }

  /** Outputs that came or went. */
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

  /** What the trees have to take over; undefined if they have everything. */
  get changes(): DeferredChanges | undefined {
    const cuts = this.#cuts.slice(this.#taken);
    const last = cuts.at(-1);
    if (last !== undefined) this.#changes ??= joined(cuts, last.check);
    return this.#changes;
  }

  /** The trees have taken over what there is. */
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
      // An output that is gone never comes back.
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
