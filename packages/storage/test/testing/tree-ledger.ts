/** State trees over a map of records, as a store has them over its database, with cuts that make and spend whatever is asked for. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { keyAddress, type LeafChange, outpointKey, TREES } from 'svc-ledger';
import { leafAt, leafCount } from '../../src/tree/bucket.ts';
import type { BucketTree } from '../../src/tree/bucket-tree.ts';
import { KEY_BYTES } from '../../src/tree/key-bits.ts';
import { NO_NODE, SUBTREE_WORDS } from '../../src/tree/node-table.ts';
import { pathToLeaf } from '../../src/tree/tree-path.ts';
import { StateTrees, TREE_NAMES } from '../../src/trees/state-trees.ts';

/** So few that buckets are mostly read. */
const RECENT_BUCKETS = 2;
const PROOFS = 5;

const hashOf = (text: string): string => createHash('sha384').update(text).digest('hex');

function output(number: number, present: boolean): LeafChange {
  const outpoint = outpointKey({ transactionId: hashOf(`transaction ${number}`), outputIndex: 0 });
  const address = keyAddress(hashOf(`owner ${number % 40}`));
  const record = { address, amount: BigInt(number), source: 'regular' as const, height: 1 };
  return { tree: 'outputs', outpoint, output: record, present };
}

function keyRecord(number: number, value: number | undefined): LeafChange {
  const key = new Uint8Array(Buffer.from(hashOf(`key ${number}`).repeat(2), 'hex').subarray(0, 64));
  return {
    tree: 'keys',
    key,
    value: value === undefined ? undefined : Uint8Array.of(value),
    sum: 1n,
  };
}

/** What a database has. */
export interface LedgerRecords {
  /** Buckets by the number of their tree and their name. */
  readonly buckets: ReadonlyMap<string, Uint8Array>;
  readonly unspent: readonly number[];
  readonly kept: ReadonlySet<number>;
  /** The next output has this number. */
  readonly next: number;
}

const NOTHING: LedgerRecords = { buckets: new Map(), unspent: [], kept: new Set(), next: 1 };

export class TreeLedger {
  readonly #buckets: Map<string, Uint8Array>;
  readonly #unspent: number[];
  readonly #kept: Set<number>;
  #next: number;
  trees: StateTrees;

  constructor(records: LedgerRecords = NOTHING) {
    this.#buckets = new Map(records.buckets);
    this.#unspent = [...records.unspent];
    this.#kept = new Set(records.kept);
    this.#next = records.next;
    this.trees = this.emptyTrees();
  }

  /** As they are now. */
  get records(): LedgerRecords {
    return {
      buckets: new Map(this.#buckets),
      unspent: [...this.#unspent],
      kept: new Set(this.#kept),
      next: this.#next,
    };
  }

  readonly read = (tree: number, name: Uint8Array): Uint8Array | undefined =>
    this.#buckets.get(nameOf(tree, name));

  emptyTrees(): StateTrees {
    return new StateTrees(this.read, undefined, RECENT_BUCKETS);
  }

  /** Trees that are built from the buckets. */
  builtTrees(): StateTrees {
    const trees = this.emptyTrees();
    const names = [...this.#buckets.keys()].sort();
    for (const name of TREE_NAMES) {
      const loader = trees.loader(name, 0);
      for (const bucket of names)
        if (bucket.startsWith(`${TREES[name]} `))
          loader.push(this.#buckets.get(bucket) as Uint8Array);
      loader.finish();
    }
    return trees;
  }

  /** What a cut might change; nothing of it has happened. */
  changes(made: number, spent: readonly number[]): LeafChange[] {
    const places = [...new Set(spent.map((choice) => choice % (this.#unspent.length || 1)))];
    const gone = places.flatMap((place) => this.#unspent[place] ?? []);
    const fresh = Array.from({ length: made }, (_, place) => this.#next + place);
    const keys = [...new Set(spent.map((choice) => choice % 30))].map((number) =>
      keyRecord(number, this.#kept.has(number) && number % 2 === 0 ? undefined : made),
    );
    return [
      ...gone.map((number) => output(number, false)),
      ...fresh.map((number) => output(number, true)),
      ...keys,
    ];
  }

  /** Records that the change was made. */
  accept(made: number, spent: readonly number[]): void {
    const places = new Set(spent.map((choice) => choice % (this.#unspent.length || 1)));
    const left = this.#unspent.filter((_, place) => !places.has(place));
    const fresh = Array.from({ length: made }, (_, place) => this.#next + place);
    this.#unspent.splice(0, this.#unspent.length, ...left, ...fresh);
    this.#next += made;
    for (const number of new Set(spent.map((choice) => choice % 30))) {
      if (this.#kept.has(number) && number % 2 === 0) this.#kept.delete(number);
      else this.#kept.add(number);
    }
  }

  /** Writes what the trees have changed. */
  write(): void {
    for (const { tree, name, record } of this.trees.writes().buckets) {
      if (record === undefined) this.#buckets.delete(nameOf(tree, name));
      else this.#buckets.set(nameOf(tree, name), record.slice());
    }
    this.trees.written();
  }
}

function nameOf(tree: number, name: Uint8Array): string {
  return `${tree} ${Buffer.from(name).toString('hex')}`;
}

/** Every inner node with what it keeps and every bucket, from the root on, whatever numbers they have. */
function rowsOf({ tables }: BucketTree): string[] {
  const { nodes, buckets } = tables;
  const rows: string[] = [];
  const visit = (reference: number, parent: number): void => {
    assert.equal(tables.parentOf(reference), parent);
    if (reference < 0) {
      const name = Buffer.from(buckets.name(~reference)).toString('hex');
      rows.push(`bucket ${buckets.bits(~reference)} ${name} ${buckets.leaves(~reference)}`);
      return;
    }
    const at = nodes.subtreeAt(reference, 0);
    rows.push(`node ${nodes.bit(reference)} ${nodes.pairs.slice(at, at + 2 * SUBTREE_WORDS)}`);
    visit(nodes.left(reference), reference);
    visit(nodes.right(reference), reference);
  };
  if (tables.root !== undefined) visit(tables.root, NO_NODE);
  return rows;
}

/** Rows that are in use, whether or not the root leads to them. */
function usedRows({ tables: { nodes, buckets } }: BucketTree): number {
  let used = 0;
  for (let node = 0; node < nodes.length; node++) if (!nodes.isReleased(node)) used++;
  for (let bucket = 0; bucket < buckets.length; bucket++) if (buckets.leaves(bucket) > 0) used++;
  return used;
}

function keysOf(tree: BucketTree): Uint8Array[] {
  const { buckets } = tree.tables;
  const keys: Uint8Array[] = [];
  for (let bucket = 0; bucket < buckets.length && keys.length < PROOFS; bucket++) {
    if (buckets.leaves(bucket) === 0) continue;
    const record = tree.record(bucket);
    const at = leafAt(leafCount(record) - 1);
    keys.push(record.slice(at, at + KEY_BYTES));
  }
  return keys;
}

/** The same roots, rows, and proofs; the numbers of rows may differ. */
export function assertSameTrees(found: StateTrees, expected: StateTrees): void {
  assert.deepEqual(found.roots, expected.roots);
  for (const name of TREE_NAMES) {
    const [tree, other] = [found.committed(name), expected.committed(name)];
    const rows = rowsOf(tree);
    assert.deepEqual(rows, rowsOf(other));
    assert.equal(usedRows(tree), rows.length, 'rows that nothing leads to are free');
    for (const key of keysOf(other))
      assert.deepEqual(pathToLeaf(tree, key), pathToLeaf(other, key));
  }
  for (const isSound of found.checkNodes(64)) assert.ok(isSound);
}
