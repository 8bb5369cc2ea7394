/**
 * Writes the state of the head into a folder, in ranges that others can fetch and check, while later cuts are committed.
 * What must belong to the head is read at once; the records follow from a `FrozenState`.
 */
import type { TreeName } from 'svc-ledger';
import { decodeSubtree } from 'svc-wasm/protocol';
import { outputOfUnspent } from '../codec/output-bytes.ts';
import { StateRefusedError } from '../errors.ts';
import type { Entry } from '../key-value/key-value-store.ts';
import type { LedgerStore } from '../ledger-store.ts';
import { recentRecords } from '../snapshot/recent-records.ts';
import { TREE_NAMES } from '../trees/state-trees.ts';
import { type FrozenState, type FrozenTable, KEPT_RECORDS_MAX } from './frozen-state.ts';
import { encodeRecords, OTHER_TABLES, TOTALS_TABLES } from './range-records.ts';
import { cutTree } from './range-tree.ts';
import { StateFilesWriter } from './state-files.ts';
import { encodeManifest, RANGE_BYTES_MAX, type StateManifest } from './state-manifest.ts';

/** Leaves of a range at most: about a megabyte each. All nodes must cut in the same way. */
export const RANGE_LEAVES_MAX: Readonly<Record<TreeName, number>> = {
  outputs: 8_192,
  positions: 2_048,
  validators: 256,
  keys: 512,
};
/** A range of no tree ends with the record that passes this. */
const OTHER_BYTES = 1 << 20;

/** The state of the head as it is to be written. */
export interface StatePlan {
  readonly frozen: FrozenState;
  readonly trees: StateManifest['trees'];
  readonly recent: readonly Entry[];
}

export interface PlanOptions {
  readonly leavesMax?: Readonly<Record<TreeName, number>>;
  readonly keptRecordsMax?: number;
}

/** Reads what must belong to the head, in one turn; no cut may be under way. `frozen` must be released. */
export function planState(store: LedgerStore, options: PlanOptions = {}): StatePlan {
  const { leavesMax = RANGE_LEAVES_MAX, keptRecordsMax = KEPT_RECORDS_MAX } = options;
  const frozen = store.freeze(keptRecordsMax);
  try {
    const cut = (name: TreeName) => cutTree(store.trees.committed(name).tables, leavesMax[name]);
    const trees = {
      outputs: cut('outputs'),
      positions: cut('positions'),
      validators: cut('validators'),
      keys: cut('keys'),
    };
    return { frozen, trees, recent: recentRecords(store.keyValues, frozen.head.height) };
  } catch (error) {
    frozen.release();
    throw error;
  }
}

/** Writes everything and returns the manifest's bytes. `giveWay` is awaited after each range. */
export async function writeState(
  { frozen, trees, recent }: StatePlan,
  directory: string,
  giveWay: () => Promise<void> = async () => {},
): Promise<Uint8Array> {
  const writer = await StateFilesWriter.create(directory);
  const add = async (entries: readonly Entry[]): Promise<void> => {
    const bytes = encodeRecords(entries);
    if (bytes.length > RANGE_BYTES_MAX)
      throw new StateRefusedError(`a range of ${bytes.length} bytes cannot be sent`);
    await writer.add(bytes);
    await giveWay();
  };
  try {
    await writeOthers(frozen, recent, add);
    const others = writer.ranges.length;
    for (const name of TREE_NAMES) await writeTree(frozen, name, trees, add);
    const totals: Entry[] = [];
    for (const table of TOTALS_TABLES)
      for await (const entries of frozen.scan(table as FrozenTable)) totals.push(...entries);
    const { height, cutId } = frozen.head;
    const { ranges } = writer;
    const bytes = encodeManifest({ height, cutId, totals, trees, others, ranges });
    await writer.finish(bytes);
    return bytes;
  } finally {
    frozen.release();
    await writer.close();
  }
}

type AddRange = (entries: readonly Entry[]) => Promise<void>;

async function writeOthers(frozen: FrozenState, recent: readonly Entry[], add: AddRange) {
  let pending: Entry[] = [];
  let bytes = 0;
  const push = async (entry: Entry): Promise<void> => {
    pending.push(entry);
    bytes += entry[0].length + entry[1].length;
    if (bytes < OTHER_BYTES) return;
    await add(pending);
    pending = [];
    bytes = 0;
  };
  for (const entry of recent) await push(entry);
  for (const table of OTHER_TABLES)
    for await (const entries of frozen.scan(table as FrozenTable))
      for (const entry of entries) await push(entry);
  if (pending.length > 0) await add(pending);
}

/** Each range has as many records as its subtree has leaves. */
async function writeTree(
  frozen: FrozenState,
  name: TreeName,
  trees: StatePlan['trees'],
  add: AddRange,
): Promise<void> {
  const counts = trees[name].subtrees.map((subtree) => Number(decodeSubtree(subtree).count));
  let pending: Entry[] = [];
  for await (const entries of frozen.scan(name === 'outputs' ? 'unspent' : name)) {
    for (const entry of entries) pending.push(name === 'outputs' ? outputOfUnspent(entry) : entry);
    for (let count = counts[0]; count !== undefined && pending.length >= count; [count] = counts) {
      await add(pending.slice(0, count));
      pending = pending.slice(count);
      counts.shift();
    }
  }
  if (pending.length > 0 || counts.length > 0)
    throw new StateRefusedError(`the records of ${name} are not those of their tree`);
}
