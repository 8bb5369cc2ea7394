/**
 * The bytes of a range: records of the state's tables as a snapshot has them, key and value counted each. A range of a
 * tree has the records of its leaves in the order of their tree keys; all other ranges have the tables that the state
 * root does not commit, and headers and blocks of late.
 */
import { TABLES, type Table, TREES, type TreeName } from 'svc-ledger';
import { UNSPENT_BYTES, unspentOfOutputs } from '../codec/output-bytes.ts';
import { Packer } from '../codec/packer.ts';
import { ID_BYTES, OUTPOINT_BYTES } from '../codec/sizes.ts';
import { Unpacker } from '../codec/unpacker.ts';
import { StateRefusedError } from '../errors.ts';
import type { Entry } from '../key-value/key-value-store.ts';
import { LAYOUT } from '../layout.ts';
import { recentTable } from '../snapshot/recent-records.ts';
import { LEAF_BYTES } from '../tree/bucket.ts';
import { hashedOutputs } from '../trees/output-leaves.ts';
import { leavesOfEntries } from '../trees/record-leaves.ts';
import { TREE_NAMES } from '../trees/state-trees.ts';

/** The tables that the totals root is made of; their records are in the manifest. */
export const TOTALS_TABLES: readonly Table[] = ['pools', 'epoch', 'economy'];
/** The tables that neither trees nor totals commit. */
export const OTHER_TABLES: readonly Table[] = TABLES.filter(
  (table) => !TOTALS_TABLES.includes(table) && !TREE_NAMES.some((name) => name === table),
);

export function encodeRecords(entries: readonly Entry[]): Uint8Array {
  const packer = new Packer();
  for (const [key, value] of entries) packer.counted(key).counted(value);
  return packer.finish();
}

export function decodeRecords(bytes: Uint8Array): Entry[] {
  const unpacker = new Unpacker(bytes, 'a range');
  const entries: Entry[] = [];
  while (unpacker.left > 0) entries.push([unpacker.counted(), unpacker.counted()]);
  return entries;
}

/** The leaves that the records of a range are; throws for records of other tables. */
export function leavesOfRange(tree: TreeName, entries: readonly Entry[]): Uint8Array[] {
  const length = 1 + (tree === 'outputs' ? OUTPOINT_BYTES : ID_BYTES);
  for (const [key] of entries)
    if (key[0] !== LAYOUT[tree].prefix || key.length !== length)
      throw new StateRefusedError(`a range of ${tree} has a record of something else`);
  if (tree !== 'outputs') return leavesOfEntries(tree, TREES[tree], entries);
  const leaves = hashedOutputs(unspentOfOutputs(entries), UNSPENT_BYTES, entries.length);
  return entries.map((_, index) => leaves.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES));
}

/** Refuses a record that does not belong into a range of no tree. */
export function expectOther([key]: Entry): void {
  const isOther = OTHER_TABLES.some((table) => LAYOUT[table].prefix === key[0]);
  if (isOther || recentTable(key[0]) !== undefined) return;
  throw new StateRefusedError(`a range has a record of prefix ${key[0]}, which belongs elsewhere`);
}
