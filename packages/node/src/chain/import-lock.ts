/**
 * Says that a snapshot is being imported, from the first byte until the chain is in its place: the lock of an empty database
 * beside the store that is filled. It ends with its process, however that ends.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LevelStore } from 'svc-storage';
import { importedPath } from './replace-chain.ts';

/** Undefined if another import has it. */
export async function lockImport(chain: string): Promise<LevelStore | undefined> {
  mkdirSync(importedPath(chain), { recursive: true, mode: 0o700 });
  try {
    return await LevelStore.open(lockPath(chain));
  } catch (error) {
    if ((error as { cause?: { code?: unknown } }).cause?.code === 'LEVEL_LOCKED') return undefined;
    throw error;
  }
}

/** Whether an import into the place of this chain is under way. */
export async function isImporting(chain: string): Promise<boolean> {
  if (!existsSync(lockPath(chain))) return false;
  const lock = await lockImport(chain);
  await lock?.close();
  return lock === undefined;
}

function lockPath(chain: string): string {
  return join(importedPath(chain), 'lock');
}
