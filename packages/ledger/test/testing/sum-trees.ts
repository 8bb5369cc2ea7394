/**
 * Trees that only add up: for campaigns in which the hashes of trees would take most of the time and
 * are compared elsewhere.
 */
import type {
  Commitments,
  LeafChange,
  StagedTrees,
  Subtree,
  TreeName,
} from '../../src/commitment/trees.ts';
import { toHex } from '../../src/protocol.ts';

const NO_HASH = new Uint8Array(48);
const NAMES = ['outputs', 'positions', 'validators', 'keys'] as const satisfies readonly TreeName[];

export class SumTrees implements Commitments, StagedTrees {
  readonly #sums: Readonly<Record<TreeName, bigint>>;
  readonly #leaves: ReadonlyMap<string, bigint>;

  constructor(
    sums: Readonly<Record<TreeName, bigint>> = {
      outputs: 0n,
      positions: 0n,
      validators: 0n,
      keys: 0n,
    },
    leaves: ReadonlyMap<string, bigint> = new Map(),
  ) {
    this.#sums = sums;
    this.#leaves = leaves;
  }

  get roots(): Readonly<Record<TreeName, Subtree>> {
    const entries = NAMES.map((name) => [
      name,
      { hash: NO_HASH, sum: this.#sums[name], count: 0n },
    ]);
    return Object.fromEntries(entries) as Record<TreeName, Subtree>;
  }

  stage(changes: readonly LeafChange[]): SumTrees {
    const sums = { ...this.#sums };
    const leaves = new Map(this.#leaves);
    for (const change of changes) {
      if (change.tree === 'outputs') {
        const { amount } = change.output;
        sums.outputs += change.present ? amount : -amount;
        continue;
      }
      const place = `${change.tree} ${toHex(change.key)}`;
      sums[change.tree] += change.sum - (leaves.get(place) ?? 0n);
      if (change.sum === 0n) leaves.delete(place);
      else leaves.set(place, change.sum);
    }
    return new SumTrees(sums, leaves);
  }
}
