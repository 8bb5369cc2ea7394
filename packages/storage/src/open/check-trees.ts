/**
 * Hashes trees that were restored from a file, in the background: the file's checksum shows that it was not changed,
 * this shows that it was right. Buckets are compared with the trees whenever one is read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreDamagedError } from '../errors.ts';
import type { StateTrees } from '../trees/state-trees.ts';

/** Some milliseconds of work, then a pause of more: cuts, answers and peers come first. */
const NODES_PER_TURN = 2_048;
const PAUSE_MILLIS = 20;

/** Resolves with the damage that was found, or with undefined when all is well or the signal ended it. */
export async function checkTrees(
  trees: StateTrees,
  signal: AbortSignal,
): Promise<StoreDamagedError | undefined> {
  for (const isSound of trees.checkNodes(NODES_PER_TURN)) {
    if (!isSound)
      return new StoreDamagedError(
        'the saved state trees are wrong: the memory of this machine may be failing; start again, and the trees are built anew',
      );
    await sleep(PAUSE_MILLIS, undefined, { ref: false });
    if (signal.aborted) return undefined;
  }
  return undefined;
}
