/**
 * Puts a store that was built beside the chain in its place, so that a crash at any moment leaves one of the two. What is
 * called `chain.new` is whole and on the disk; what is called `chain.replaced` is to be deleted. A start finishes what
 * was broken off. What is called `chain.imported` is on its way, and not proven.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectorySync, syncTreeSync } from 'svc-base/node';

/** Where the old chain goes if the operator wishes to keep it. */
export function keptPath(chain: string): string {
  return `${chain}.old`;
}

/** The folder in which a snapshot is filled in until all of it is proven. Nothing ever runs on it: the next import removes it. */
export function importedPath(chain: string): string {
  return `${chain}.imported`;
}

/** Puts a store that was built where there is no chain in its place, once it is on the disk. */
export function placeChain(chain: string, built: string): void {
  syncTreeSync(built);
  move(built, chain);
}

export function replaceChain(chain: string, built: string, keepsOld: boolean): void {
  const moves = replacing(chain, built, keepsOld);
  while (moves.next().done !== true);
}

/** Goes one step further with each call; a crash may come between any two. */
export function* replacing(chain: string, built: string, keepsOld: boolean): Generator<void> {
  const whole = wholePath(chain);
  removeRest(chain);
  syncTreeSync(built);
  move(built, whole);
  yield;
  try {
    move(chain, keepsOld ? keptPath(chain) : replacedPath(chain));
  } catch (error) {
    // What was built is there for the next call.
    move(whole, built);
    throw error;
  }
  yield;
  move(whole, chain);
  yield;
  removeRest(chain);
}

/**
 * Called before a chain is opened or begun anew; no other process may use the data directory. A new chain counts from the moment
 * when the old one has moved away; before that the old one is in use, and the new one would be behind it.
 */
export function finishReplacing(chain: string): void {
  const whole = wholePath(chain);
  if (!existsSync(chain) && existsSync(whole)) move(whole, chain);
  // A new chain beside an old one may be that of a command which is under way at this moment.
  if (existsSync(chain) && !existsSync(whole)) removeRest(chain);
}

function removeRest(chain: string): void {
  for (const rest of [wholePath(chain), replacedPath(chain)])
    rmSync(rest, { recursive: true, force: true });
}

function wholePath(chain: string): string {
  return `${chain}.new`;
}

function replacedPath(chain: string): string {
  return `${chain}.replaced`;
}

/** The name is so after a crash too. */
function move(from: string, to: string): void {
  renameSync(from, to);
  syncDirectorySync(dirname(to));
}
