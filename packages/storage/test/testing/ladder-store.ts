/** Stores that hold the ladder chain. */
import { chainIdOf } from 'svc-ledger';
import { hashLabel } from 'svc-wasm/protocol';
import type { StorageMode } from '../../src/codec/meta-records.ts';
import type { GuardedStore } from '../../src/key-value/guarded-store.ts';
import type { KeyValueStore } from '../../src/key-value/key-value-store.ts';
import { MemoryStore } from '../../src/key-value/memory-store.ts';
import type { LedgerStore } from '../../src/ledger-store.ts';
import { openStore } from '../../src/open/open-store.ts';
import { openStoreOn } from '../../src/open/open-store-on.ts';
import { LADDER_GENESIS, LADDER_PARAMETERS, startLadder, stepLadder } from './ladder-chain.ts';

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

/** Commits cuts that wait, until they are enough for the thread that writes large groups. */
export async function keepLargeGroup(store: LedgerStore): Promise<void> {
  const kept = store.keyValues as GuardedStore;
  while (kept.keptBytes < LARGE_GROUP_BYTES) await stepLadder(store, { mayWait: true });
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

/** The state roots of the ladder from height 0 on, computed once by a store in memory. */
export async function ladderRoots(height: number): Promise<readonly string[]> {
  if (roots.length > height) return roots;
  const store = await memoryLadder(0);
  roots.length = 0;
  roots.push(store.head?.stateRoot ?? '');
  while (roots.length <= height) roots.push((await stepLadder(store)).stateRoot);
  return roots;
}
