/**
 * Databases for the versions test: the layers through which a node reads and writes, with the thread that writes groups.
 */
import { GatheringStore } from '../../src/key-value/gathering-store.ts';
import { GuardedStore } from '../../src/key-value/guarded-store.ts';
import type { LevelOptions } from '../../src/key-value/level-store.ts';
import { openCheckedLevel } from '../../src/open/open-level.ts';
import type { VersionsStores } from './versions-run.ts';

export interface OpenedStores extends VersionsStores {
  close(): Promise<void>;
}

/** Opens a database as `openStore` does. */
export async function openVersionsStores(
  directory: string,
  options: LevelOptions = {},
): Promise<OpenedStores> {
  const { store: written } = await openCheckedLevel(directory, options);
  const store = new GuardedStore(new GatheringStore(written));
  return { store, written, close: () => store.close() };
}
