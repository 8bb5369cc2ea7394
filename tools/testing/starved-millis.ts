/**
 * How long a process has been ready and had no processor, as Linux counts it for its main thread. Elsewhere nothing is
 * known, and nothing is counted.
 */
import { readFileSync } from 'node:fs';

const NANOS_PER_MILLI = 1_000_000n;

export function starvedMillis(pid: number | undefined): number {
  try {
    const [, waitedNanos = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(BigInt(waitedNanos) / NANOS_PER_MILLI);
  } catch {
    return 0;
  }
}
