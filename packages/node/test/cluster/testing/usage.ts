/**
 * What a process has used so far, as the kernel counts it; nothing where there is no `/proc`.
 */
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** 0 for a process that is gone. */
export function processorSecondsOf(processId: number | undefined): number {
  const fields = read(processId, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  const ticks = Number(fields[USER_TICKS] ?? 0) + Number(fields[SYSTEM_TICKS] ?? 0);
  return ticks / TICKS_PER_SECOND;
}

export function peakMegabytesOf(processId: number | undefined): number {
  return Number(/VmHWM:\s+(\d+)/.exec(read(processId, 'status'))?.[1] ?? 0) / 1_024;
}

function read(processId: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${processId}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
