/**
 * Loads lists from the store and trees from what was saved, or else from the store, and checks that all of it is
 * the state which the last cut's header commits to. Files that were cut short, swapped or restored from different times do not pass.
 */
import { SINGLE_KEY, stateRoot, TREES, type TreeName, totalsRoot } from 'svc-ledger';
import { equalBytes, toHex } from 'svc-wasm/base';
import { cutId, decodeCutHeader, hashLabel, historyRoot, peakCount } from 'svc-wasm/protocol';
import { expectChecksum } from '../codec/checksum.ts';
import type { Head } from '../codec/meta-records.ts';
import { ID_BYTES } from '../codec/sizes.ts';
import { heightKey } from '../commit/keys.ts';
import { StorageError, StoreDamagedError } from '../errors.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';
import { rangeOf } from '../layout.ts';
import { StoredState } from '../state/stored-state.ts';
import type { OnDamage } from '../tree/bucket-tree.ts';
import { StateTrees, TREE_NAMES, type TreeSource } from '../trees/state-trees.ts';

/** Headers before the head whose chain is followed. */
const HEADERS_CHECKED = 64;
const ADVICE = 'run `svcd repair`, restore a backup, import a snapshot, run a reindex or sync anew';

export interface LoadedState {
  readonly state: StoredState;
  readonly trees: StateTrees;
  /** They were read as they were saved, and not built. */
  readonly areTreesRestored: boolean;
}

export interface LoadPorts {
  /** Those that were saved for a head, over the buckets of a source; undefined if there are none. */
  readonly restoreTrees?: (source: TreeSource, head: Head) => StateTrees | undefined;
  /** Called whenever a bucket is read that is not what the state was hashed with. */
  readonly onDamage?: OnDamage;
}

export async function loadState(
  reader: KeyValueReader,
  head: Head | null,
  { restoreTrees = () => undefined, onDamage }: LoadPorts = {},
): Promise<LoadedState> {
  return asDamage(async () => {
    const state = new StoredState(reader);
    await state.load();
    const source = sourceOf(reader, onDamage);
    const restored = head === null ? undefined : restoreTrees(source, head);
    // Saved trees may differ from the header while the records are right.
    const isRight =
      restored !== undefined && head !== null && rootOf(state, restored, head) === head.stateRoot;
    const trees = isRight ? restored : emptyTrees(reader, onDamage);
    if (!isRight) for (const name of TREE_NAMES) await loadTree(reader, trees, name, head);
    if (head !== null) checkState(reader, state, trees, head);
    return { state, trees, areTreesRestored: isRight };
  });
}

/** Checks that trees which were built in another way, and the rest of a store, are the state of a head. */
export function expectState(reader: KeyValueReader, trees: StateTrees, head: Head): Promise<void> {
  return asDamage(async () => {
    const state = new StoredState(reader);
    await state.load();
    checkState(reader, state, trees, head);
  });
}

/** Trees without leaves, over the buckets of a store. */
export function emptyTrees(reader: KeyValueReader, onDamage?: OnDamage): StateTrees {
  const source = sourceOf(reader, onDamage);
  return new StateTrees(source.read, source.onDamage);
}

function sourceOf(reader: KeyValueReader, onDamage: OnDamage | undefined): TreeSource {
  return { read: (tree, name) => reader.getSync(bucketKey(tree, name)), onDamage };
}

function checkState(
  reader: KeyValueReader,
  state: StoredState,
  trees: StateTrees,
  head: Head,
): void {
  checkRoot(state, trees, head);
  checkHeaders(reader, head);
  if (head.height > 0) checkPeaks(reader, state, head);
}

/** The peaks that the next cut appends to are committed by the history root of the header, not by the state root. */
function checkPeaks(reader: KeyValueReader, state: StoredState, { height }: Head): void {
  const key = heightKey('headers', height);
  const header = expectChecksum(key, reader.getSync(key) ?? new Uint8Array(0), 'headers');
  const peaks = state.get('pastCuts', SINGLE_KEY)?.peaks ?? [];
  const expected = decodeCutHeader(header.slice(ID_BYTES)).historyRoot;
  const isRight =
    peaks.length === peakCount(height) &&
    equalBytes(historyRoot(hashLabel, height, peaks), expected);
  if (isRight) return;
  throw new StoreDamagedError(
    `the peaks of earlier cuts are not those that the header of cut ${height} commits to; ${ADVICE}`,
  );
}

async function asDamage<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (cause instanceof StorageError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreDamagedError(`the store is damaged: ${reason}; ${ADVICE}`, { cause });
  }
}

function bucketKey(tree: number, name: Uint8Array): Uint8Array {
  const { from } = rangeOf('buckets', Uint8Array.of(tree));
  const key = new Uint8Array(from.length + name.length);
  key.set(from);
  key.set(name, from.length);
  return key;
}

async function loadTree(
  reader: KeyValueReader,
  trees: StateTrees,
  name: TreeName,
  head: Head | null,
): Promise<void> {
  const loader = trees.loader(name, name === 'outputs' ? (head?.outputs ?? 0) : 0);
  const range = rangeOf('buckets', Uint8Array.of(TREES[name]));
  for await (const entries of reader.scan(range)) {
    for (const [, record] of entries) loader.push(record);
  }
  loader.finish();
}

/** The root of a state, or words in its place if it cannot be that of the head. */
function rootOf(state: StoredState, trees: StateTrees, head: Head): string {
  const economy = state.get('economy', SINGLE_KEY);
  const epoch = state.get('epoch', SINGLE_KEY);
  if (economy === undefined || epoch === undefined || economy.height !== head.height)
    return 'of another height';
  return stateRoot(hashLabel, trees.roots, totalsRoot(hashLabel, state, economy, epoch));
}

function checkRoot(state: StoredState, trees: StateTrees, head: Head): void {
  const found = rootOf(state, trees, head);
  if (found === head.stateRoot) return;
  throw new StoreDamagedError(
    `the state is not that of cut ${head.height}: expected root ${head.stateRoot}, found ${found}; ${ADVICE}`,
  );
}

/** The last headers must be there and each must name the one before. */
function checkHeaders(reader: KeyValueReader, head: Head): void {
  let id = head.cutId;
  const last = Math.max(0, head.height - HEADERS_CHECKED);
  for (let height = head.height; height > last; height--) {
    const key = heightKey('headers', height);
    const record = reader.getSync(key);
    if (record === undefined) {
      if (height < head.height) return;
      throw new StoreDamagedError(`the header of cut ${height} is missing; ${ADVICE}`);
    }
    const value = expectChecksum(key, record, 'headers');
    const header = value.slice(ID_BYTES);
    const ownId = cutId(header);
    const decoded = decodeCutHeader(header);
    const fits = toHex(ownId) === id && equalBytes(value.subarray(0, ID_BYTES), ownId);
    const rootFits = height < head.height || toHex(decoded.stateRoot) === head.stateRoot;
    if (!fits || !rootFits) {
      throw new StoreDamagedError(`the header of cut ${height} is not the chain's; ${ADVICE}`);
    }
    id = toHex(decoded.parentCutId);
  }
}
