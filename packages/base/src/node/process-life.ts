/**
 * Whether another process of this machine still runs, and whether it is the one that was meant.
 */
import { readFileSync } from 'node:fs';

/** Fields of `/proc/<pid>/stat` after the name, which may itself have spaces: the start is the twentieth. */
const START_FIELD = 19;
/** Where the system does not report when a process started. */
const UNKNOWN = 'unknown';

/** Also true for a process of another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process started, and in which run of the machine; undefined where that cannot be known. */
export function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD];
    return `${boot}/${start}`;
  } catch {
    return undefined;
  }
}

export function ownStart(): string {
  return startOf(process.pid) ?? UNKNOWN;
}
