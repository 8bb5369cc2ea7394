/** Stores that hold the ladder chain. */
import { applyCut, chainIdOf } from 'svc-ledger';
import { hashLabel } from 'svc-wasm/protocol';
import type { StorageMode } from '../../src/codec/meta-records.ts';
import type { GuardedStore } from '../../src/key-value/guarded-store.ts';
import type { KeyValueStore } from '../../src/key-value/key-value-store.ts';
import { MemoryStore } from '../../src/key-value/memory-store.ts';
import type { CommitOptions, LedgerStore } from '../../src/ledger-store.ts';
import { openStore } from '../../src/open/open-store.ts';
import { openStoreOn } from '../../src/open/open-store-on.ts';
import type { TreeFilesPace } from '../../src/tree-files/tree-files.ts';
import {
  commitOf,
  LADDER_GENESIS,
  LADDER_PARAMETERS,
  ladderInput,
  ladderPorts,
  startLadder,
  stepLadder,
} from './ladder-chain.ts';

/** More than the thread is started for. */
const LARGE_GROUP_BYTES = 1_100_000;

export function ladderOptions(mode: StorageMode = 'archive') {
  const chainId = chainIdOf(hashLabel, LADDER_GENESIS);
  return { chainId, parameters: LADDER_PARAMETERS, mode };
}

export async function climb(store: LedgerStore, height: number): Promise<void> {
  if (store.head === null) await startLadder(store);
  while ((store.head?.height ?? 0) < height) await stepLadder(store);
}

export interface DeferredOptions extends CommitOptions {
  /** The vouched root; by default the right one. */
  readonly stateRoot?: string | undefined;
}

/** Applies the next cut as a node that catches up does, without trees, and commits it as one that waits. */
export async function stepDeferred(
  store: LedgerStore,
  { stateRoot, mayWait = true }: DeferredOptions = {},
): Promise<void> {
  const { head, chainId } = store;
  const height = (head?.height ?? 0) + 1;
  const input = ladderInput(height);
  const vouched = store.vouched(stateRoot ?? ((await ladderRoots(height))[height] as string));
  const result = applyCut(ladderPorts(store), store.view, input, vouched);
  const cut = commitOf(input, result, { chainId, parentCutId: head?.cutId ?? '' });
  await store.commit(cut, { mayWait });
}

/** Commits cuts that wait for the trees, until they are enough for the thread that writes large groups. */
export async function keepLargeGroup(store: LedgerStore): Promise<void> {
  const kept = store.keyValues as GuardedStore;
  while (kept.keptBytes < LARGE_GROUP_BYTES) await stepDeferred(store);
}

export async function memoryLadder(
  height: number,
  keyValues: KeyValueStore = new MemoryStore(),
): Promise<LedgerStore> {
  const store = await openStoreOn(keyValues, ladderOptions());
  await climb(store, height);
  return store;
}

export function openLadder(directory: string, mode: StorageMode = 'archive'): Promise<LedgerStore> {
  return openStore({ ...ladderOptions(mode), directory, cacheBytes: 1 << 20 });
}

/** Logs of small trees, with new bases all the time. */
export const EAGER_TREE_FILES: TreeFilesPace = {
  tableBytesMin: 0,
  logBytesMin: 30_000,
  pieceBytes: 2_000,
  pauseMillis: 0,
};

/** A store that logs what changes its trees, small as they are. */
export function openLoggedLadder(
  directory: string,
  treeFilesPace: TreeFilesPace = EAGER_TREE_FILES,
): Promise<LedgerStore> {
  return openStore({ ...ladderOptions(), directory, cacheBytes: 1 << 20, treeFilesPace });
}

/** A store that keeps the lists and blocks of eight cuts and compacts in small pieces without a pause. */
export function openPrunedLadder(directory: string): Promise<LedgerStore> {
  return openStore({
    ...ladderOptions('pruned'),
    directory,
    cacheBytes: 1 << 20,
    rule: { indexedCuts: 8, blockCuts: 8 },
    compactionPace: { pieceBytes: 64 << 10, pauseMillis: 0 },
    bodyFileBytes: 64 << 10,
  });
}

const roots: string[] = [];
let climber: LedgerStore | undefined;

/** The state roots of the ladder from height 0 on, by a store in memory that executes each cut with its trees. */
export async function ladderRoots(height: number): Promise<readonly string[]> {
  climber ??= await memoryLadder(0);
  if (roots.length === 0) roots.push(climber.head?.stateRoot ?? '');
  while (roots.length <= height) roots.push((await stepLadder(climber)).stateRoot);
  return roots;
}
