/**
 * Who holds a data directory. The engine's own lock keeps others out and ends with its process; this
 * file names the process to look for.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive, startOf } from 'svc-base/node';

const HOLDER_FILE = 'holder.json';
/** The start is counted back from now, which is not exact. */
const SAME_START_MILLIS = 2_000;

export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, Unix milliseconds. */
  readonly started_millis: number;
  /** The start as the system counts it, independent of the clock; absent where it gives none. */
  readonly start?: string;
}

export function thisHolder(): Holder {
  const started = Math.round(Date.now() - 1_000 * process.uptime());
  const start = startOf(process.pid);
  return {
    pid: process.pid,
    host: hostname(),
    started_millis: started,
    ...(start === undefined ? {} : { start }),
  };
}

export function writeHolder(directory: string): void {
  const text = `${JSON.stringify(thisHolder())}\n`;
  writeFileSync(join(directory, HOLDER_FILE), text, { mode: 0o600 });
}

export function removeHolder(directory: string): void {
  rmSync(join(directory, HOLDER_FILE), { force: true });
}

function readHolder(directory: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(join(directory, HOLDER_FILE), 'utf8')) as Holder;
    const isWhole = Number.isSafeInteger(holder.pid) && Number.isFinite(holder.started_millis);
    return isWhole && holder.pid > 0 ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** `process 17 on host a since …`, as far as the file says. */
function describeHolder(directory: string): string {
  const holder = readHolder(directory);
  if (holder === undefined) return 'another process, which left no name';
  const since = new Date(holder.started_millis).toISOString();
  return `process ${holder.pid} on host ${holder.host}, running since ${since}`;
}

/** Whether another thread of this process holds the directory; the engine's lock does not part threads. */
export function isHeldHere(directory: string): boolean {
  const holder = readHolder(directory);
  const here = thisHolder();
  return (
    holder?.pid === here.pid &&
    holder.host === here.host &&
    Math.abs(holder.started_millis - here.started_millis) < SAME_START_MILLIS
  );
}

/**
 * Whether the process that last held the directory is another one and still there. Numbers of processes are used again,
 * so the one that has the number must have started when the holder did; `unclear` where a start is unknown.
 */
export function otherHolder(directory: string): 'gone' | 'running' | 'unclear' {
  const holder = readHolder(directory);
  if (holder === undefined || holder.host !== hostname() || holder.pid === process.pid)
    return 'gone';
  if (!isAlive(holder.pid)) return 'gone';
  const start = startOf(holder.pid);
  if (start === undefined || holder.start === undefined) return 'unclear';
  return start === holder.start ? 'running' : 'gone';
}

/** The message for a directory that is held, or may be; `isCertain` if the engine says so. */
export function heldMessage(directory: string, isCertain: boolean): string {
  const holder = describeHolder(directory);
  if (isCertain || otherHolder(directory) !== 'unclear')
    return `${directory} is held by ${holder}; stop it first`;
  return (
    `${directory} may be held by ${holder}: a process of that number runs, and whether it is the same cannot be told. ` +
    `Stop it if it is a node; if it is another program, delete ${join(directory, HOLDER_FILE)}`
  );
}
