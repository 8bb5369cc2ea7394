/**
 * Rebuilds tables from others with the same contents: outputs and lists of unspent ones, trees and balances, histories,
 * statuses, lists of positions. The state root proves the results that it covers.
 */
import { statusOfOutcome } from 'svc-ledger';
import { type BulkOutput, writeOutputsInBulk } from '../bulk/bulk-outputs.ts';
import { rebuildOutputs, rebuildRecordTrees } from '../bulk/rebuild.ts';
import { unpacked } from '../codec/codec.ts';
import {
  addressEntryCodec,
  changesCodec,
  outcomesCodec,
  type StatusRecord,
  statusCodec,
  unspentCodec,
} from '../codec/index-records.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import { Unpacker } from '../codec/unpacker.ts';
import { BatchBuilder } from '../commit/batch-builder.ts';
import { hexKey, historyKey } from '../commit/keys.ts';
import type { Entry, KeyValueStore } from '../key-value/key-value-store.ts';
import { rangeOf, type StoreTable } from '../layout.ts';
import type { Losses } from './losses.ts';

/** Tables whose records the state root covers, through the trees. */
const UNDER_ROOT: readonly StoreTable[] = ['positions', 'validators', 'keys'];
/** Tables that can be made of one other table each. */
const SOURCES: Partial<Record<StoreTable, StoreTable>> = {
  outputs: 'unspent',
  unspent: 'outputs',
  history: 'changes',
  statuses: 'cutTransactions',
  ownedPositions: 'positions',
};
/** Tables that are fetched from peers, or made with what is fetched. */
const FETCHED: ReadonlySet<StoreTable> = new Set<StoreTable>([
  'headers',
  'cutIds',
  'cutBodies',
  'certificates',
  'blockHeaders',
  'blockBodies',
  'bodyFiles',
]);
/** Tables that the rebuilt trees give. */
const OF_TREES: ReadonlySet<StoreTable> = new Set<StoreTable>(['buckets', 'balances']);

/** Tables that only executing the cuts again can give. */
export function tablesToExecute(losses: Losses): StoreTable[] {
  return losses.tables.filter((table) => {
    if (FETCHED.has(table) || OF_TREES.has(table) || table === 'meta') return false;
    // The root of the rebuilt trees shows whether something is missing in fact.
    if (UNDER_ROOT.includes(table)) return false;
    const source = SOURCES[table];
    return source === undefined || losses.has(source);
  });
}

/** Returns the rebuilt tables. */
export async function rebuildTables(store: KeyValueStore, losses: Losses): Promise<StoreTable[]> {
  const rebuilt: StoreTable[] = [];
  for (const [name, source] of Object.entries(SOURCES)) {
    const table = name as StoreTable;
    if (!losses.has(table) || losses.has(source)) continue;
    await clearTable(store, table);
    for await (const entries of store.scan(rangeOf(source)))
      await REBUILDERS[table]?.(store, entries);
    rebuilt.push(table);
  }
  const hasChanged = (table: StoreTable) => losses.has(table);
  if ([...UNDER_ROOT, ...OF_TREES, 'outputs' as const, 'unspent' as const].some(hasChanged)) {
    for (const table of OF_TREES) await clearTable(store, table);
    await rebuildOutputs(store);
    await rebuildRecordTrees(store);
    rebuilt.push(...OF_TREES);
  }
  return rebuilt;
}

async function clearTable(store: KeyValueStore, table: StoreTable): Promise<void> {
  for await (const entries of store.scan(rangeOf(table)))
    await store.write(
      entries.map(([key]) => ({ type: 'del', key })),
      { sync: false },
    );
}

type Rebuilder = (store: KeyValueStore, entries: readonly Entry[]) => Promise<void>;

const REBUILDERS: Partial<Record<StoreTable, Rebuilder>> = {
  outputs: writeFromUnspent,
  unspent: writeFromOutputs,
  history: writeHistories,
  statuses: writeStatuses,
  ownedPositions: writeOwnedPositions,
};

async function writeFromUnspent(store: KeyValueStore, entries: readonly Entry[]): Promise<void> {
  const outputs = entries.map(([, value]): BulkOutput => {
    const { outpoint, ...record } = unpacked(unspentCodec, value, 'unspent');
    return { outpoint, record };
  });
  await writeOutputsInBulk(store, outputs, { history: false });
}

async function writeFromOutputs(store: KeyValueStore, entries: readonly Entry[]): Promise<void> {
  const outputs = entries.map(
    ([key, value]): BulkOutput => ({
      outpoint: Buffer.from(key.subarray(1)).toString('hex'),
      record: unpacked(STATE_CODECS.outputs, value, 'outputs'),
    }),
  );
  await writeOutputsInBulk(store, outputs, { history: false });
}

async function writeHistories(store: KeyValueStore, pages: readonly Entry[]): Promise<void> {
  const batch = new BatchBuilder();
  for (const [key, value] of pages) {
    const place = new Unpacker(key.subarray(1), 'changes');
    const height = place.numberOrdered();
    const first = place.u32Ordered();
    unpacked(changesCodec, value, 'changes').forEach((entry, at) => {
      batch.pack(historyKey(entry.address, height, first + at), addressEntryCodec, entry);
    });
  }
  await store.write(batch.operations, { sync: false });
}

/** As commits do it: a first final status stays, a later outcome takes the place of any other. */
async function writeStatuses(store: KeyValueStore, pages: readonly Entry[]): Promise<void> {
  const statuses = new Map<string, StatusRecord>();
  const isFinal = ({ outcome }: StatusRecord) => statusOfOutcome(outcome.kind)?.final === true;
  const known = (id: string): StatusRecord | undefined => {
    const record = statuses.has(id) ? undefined : store.getSync(hexKey('statuses', id));
    return record === undefined ? statuses.get(id) : unpacked(statusCodec, record, 'statuses');
  };
  for (const [key, value] of pages) {
    const place = new Unpacker(key.subarray(1), 'cutTransactions');
    const height = place.numberOrdered();
    const first = place.u32Ordered();
    unpacked(outcomesCodec, value, 'cutTransactions').forEach((outcome, at) => {
      if (statusOfOutcome(outcome.kind) === null) return;
      const before = known(outcome.transactionId);
      if (outcome.kind !== 'finalized' && before !== undefined && isFinal(before)) return;
      statuses.set(outcome.transactionId, { outcome, height, index: first + at });
    });
  }
  const batch = new BatchBuilder();
  for (const [id, status] of statuses) batch.pack(hexKey('statuses', id), statusCodec, status);
  await store.write(batch.operations, { sync: false });
}

async function writeOwnedPositions(store: KeyValueStore, entries: readonly Entry[]): Promise<void> {
  const batch = new BatchBuilder();
  for (const [key, value] of entries) {
    const { ownerAddress } = unpacked(STATE_CODECS.positions, value, 'positions');
    const owned = batch.key('ownedPositions').hex(ownerAddress).raw(key.subarray(1));
    batch.put(owned.finish(), new Uint8Array(0));
  }
  await store.write(batch.operations, { sync: false });
}
