/**
 * What a process has used so far, as the kernel counts it; nothing where there is no `/proc`.
 */
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** Processor seconds of a process by its threads. Threads of one name count together; the first one goes by its own. */
export interface ThreadSeconds {
  readonly main: number;
  readonly others: ReadonlyMap<string, number>;
}

/** 0 for a process that is gone. */
export function processorSecondsOf(processId: number | undefined): number {
  return secondsIn(read(processId, 'stat'));
}

/** What threads used that have ended is in the sum of the process alone. */
export function threadSecondsOf(processId: number | undefined): ThreadSeconds {
  const others = new Map<string, number>();
  let main = 0;
  for (const thread of threadsOf(processId)) {
    const stat = read(processId, `task/${thread}/stat`);
    const name = /\((.*)\)/.exec(stat)?.[1] ?? '';
    if (thread === String(processId)) main = secondsIn(stat);
    else others.set(name, (others.get(name) ?? 0) + secondsIn(stat));
  }
  return { main, others };
}

export function peakMegabytesOf(processId: number | undefined): number {
  return Number(/VmHWM:\s+(\d+)/.exec(read(processId, 'status'))?.[1] ?? 0) / 1_024;
}

function secondsIn(stat: string): number {
  const fields = stat.split(') ').at(-1)?.split(' ') ?? [];
  const ticks = Number(fields[USER_TICKS] ?? 0) + Number(fields[SYSTEM_TICKS] ?? 0);
  return ticks / TICKS_PER_SECOND;
}

function threadsOf(processId: number | undefined): readonly string[] {
  try {
    return readdirSync(`/proc/${processId}/task`);
  } catch {
    return [];
  }
}

function read(processId: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${processId}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
