/**
 * Opens the store in a data directory: one holder, files as the engine left them, a head no lower than it
 * was, a state that fits its header.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemTrouble } from 'svc-base/pure';
import type { BodyFilesOptions } from '../bodies/body-files.ts';
import { StorageError, StoreDamagedError, StoreLockedError } from '../errors.ts';
import { openNodeFile } from '../history/node-bytes.ts';
import type { LedgerStore } from '../ledger-store.ts';
import { TreeFiles, type TreeFilesPace } from '../tree-files/tree-files.ts';
import { heldMessage, isHeldHere, otherHolder, removeHolder, writeHolder } from './holder.ts';
import { tableOfWrongSize } from './level-files.ts';
import { type CheckedLevel, openCheckedLevel } from './open-level.ts';
import { openStoreOn, type StoreOptions } from './open-store-on.ts';
import { ReachedMark, reachedCutId } from './reached.ts';

export interface DirectoryOptions extends StoreOptions, BodyFilesOptions {
  readonly directory: string;
  readonly cacheBytes?: number;
  /** Tests keep logs of small trees too. */
  readonly treeFilesPace?: TreeFilesPace;
}

/** Directories that this thread is opening, before their holder file says so. */
const opening = new Set<string>();

export function databaseOf(directory: string): string {
  return join(directory, 'db');
}

export async function openStore(options: DirectoryOptions): Promise<LedgerStore> {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const directory = realpathSync(options.directory);
  if (opening.has(directory) || isHeldHere(directory))
    throw new StoreLockedError(heldMessage(directory, true));
  opening.add(directory);
  try {
    return await openHeld(directory, options);
  } finally {
    opening.delete(directory);
  }
}

async function openHeld(directory: string, options: DirectoryOptions): Promise<LedgerStore> {
  const treeFiles = new TreeFiles(directory, options.treeFilesPace);
  const reachedBefore = reachedCutId(directory);
  const opening = openLevel(directory, options);
  opening.catch(() => {}); // Awaited below.
  // A thread opens the engine meanwhile, which takes half a second after a kill.
  await nextTurn();
  treeFiles.readAhead(reachedBefore);
  const { store: level, bodies, unchecked } = await opening;
  const reached = new ReachedMark(directory);
  const historyBytes = openNodeFile(directory);
  try {
    writeHolder(directory);
    const store = await openStoreOn(level, options, {
      checkHead: (head) => reached.check(head),
      onCommit: (head) => {
        reached.record(head);
        treeFiles.durable(head);
      },
      treeFiles,
      historyBytes,
      checkFiles: () => unchecked.checkRest(),
      nameDamage: () => tableOfWrongSize(databaseOf(directory)),
      onClose: async (trees, head) => {
        await treeFiles.end(trees, head);
        reached.close();
        removeHolder(directory);
      },
    });
    bodies.cutOff();
    // A store that was not filled by commits has no mark yet.
    if (store.head !== null) reached.record(store.head);
    return store;
  } catch (error) {
    await treeFiles.end(undefined, null);
    historyBytes.close();
    reached.close();
    await level.close();
    removeHolder(directory);
    throw error;
  }
}

async function openLevel(directory: string, options: DirectoryOptions): Promise<CheckedLevel> {
  const database = databaseOf(directory);
  const { bodyFileBytes, cacheBytes } = options;
  try {
    return await openCheckedLevel(database, {
      ...(cacheBytes === undefined ? {} : { cacheBytes }),
      ...(bodyFileBytes === undefined ? {} : { bodyFileBytes }),
    });
  } catch (error) {
    if (error instanceof StorageError && otherHolder(directory) === 'gone') throw error;
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const isLocked = codeOf(cause) === 'LEVEL_LOCKED';
    if (isLocked || error instanceof StorageError)
      throw new StoreLockedError(heldMessage(directory, isLocked), { cause });
    const trouble = systemTrouble(cause);
    if (trouble !== undefined)
      throw new StorageError('storage_unopened', `${database}: ${trouble}`, { cause });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreDamagedError(
      `the database in ${database} cannot be opened (${reason}); run \`svcd repair\`, restore a backup, import a snapshot or sync anew`,
      { cause },
    );
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
