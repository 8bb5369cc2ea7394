/**
 * Keeps the memory of a daemon, in which its keys lie, out of core dumps: a crash writes nothing of it to the disk. A program
 * of Node cannot set the limit itself; `prlimit`, which comes with every distribution of Linux, sets the limit of a process that runs.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const PATIENCE_MILLIS = 5_000;

/** Forbids core dumps of this process. Returns the limit that is left, `0` if all went well; undefined where the system does not tell. */
export function forbidCoreDumps(): string | undefined {
  const limit = coreLimitOf(readLimits());
  if (limit === undefined || limit === '0') return limit;
  const words = ['--core=0:0', `--pid=${process.pid}`];
  spawnSync('prlimit', words, { stdio: 'ignore', timeout: PATIENCE_MILLIS });
  return coreLimitOf(readLimits());
}

/** How much of its memory the system writes to the disk when this process crashes, as Linux tells it. */
export function coreLimitOf(limits: string): string | undefined {
  return /^Max core file size +(\S+)/m.exec(limits)?.[1];
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
