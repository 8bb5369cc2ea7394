/**
 * Who holds a data directory. The engine's own lock keeps others out and ends with its process; this
 * file tells them whom to look for.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const HOLDER_FILE = 'holder.json';
/** The start is counted back from now, which is not exact. */
const SAME_START_MILLIS = 2_000;

export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, Unix milliseconds. */
  readonly started_millis: number;
}

export function thisHolder(): Holder {
  const started = Math.round(Date.now() - 1_000 * process.uptime());
  return { pid: process.pid, host: hostname(), started_millis: started };
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
    return JSON.parse(readFileSync(join(directory, HOLDER_FILE), 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** `process 17 on host a since …`, as far as the file tells. */
export function describeHolder(directory: string): string {
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

/** Whether the process that last held the directory is another one and still there. */
export function isHeldByOther(directory: string): boolean {
  const holder = readHolder(directory);
  if (holder === undefined || holder.host !== hostname() || holder.pid === process.pid)
    return false;
  try {
    return process.kill(holder.pid, 0);
  } catch {
    return false;
  }
}
