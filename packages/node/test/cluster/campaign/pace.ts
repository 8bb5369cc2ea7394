/**
 * How fast a network makes cuts, as one node sees it, and what is too slow.
 */
import assert from 'node:assert/strict';
import type { ClusterNode } from '../testing/cluster-node.ts';
import { PACE_MILLIS } from './stage.ts';

const CUT_MILLIS_MAX = 60_000;
/**
 * Of the pace, or of what the same machine kept in clear weather if that is more. A committee that waits for one more way
 * there and back in each cut, 300 ms of 2,500, is above it; the grain of looking at heights, 100 ms, is not.
 */
const SLOWER_MAX = 1.1;

/** Milliseconds between cuts. */
export interface Pace {
  /** What is judged: a few cuts that a busy machine holds up do not decide. */
  readonly median: number;
  readonly mean: number;
}

export async function paceOf(node: ClusterNode, cuts: number): Promise<Pace> {
  const times: number[] = [];
  let height = await node.height();
  await node.reach(++height, CUT_MILLIS_MAX);
  let at = performance.now();
  while (times.length < cuts) {
    await node.reach(++height, CUT_MILLIS_MAX);
    const now = performance.now();
    times.push(now - at);
    at = now;
  }
  return { median: medianOf(times), mean: times.reduce((sum, one) => sum + one, 0) / cuts };
}

/** Throws if the pace was not kept, though the machine could. */
export function expectPace(pace: Pace, clear: Pace, what: string): void {
  const most = SLOWER_MAX * Math.max(PACE_MILLIS, clear.median);
  const seen = `${paceText(pace)} a cut ${what}, ${paceText(clear)} before it`;
  assert.ok(pace.median <= most, `${seen}: at most ${Math.round(most)}`);
}

export function paceText({ median, mean }: Pace): string {
  return `${Math.round(median)} ms (mean ${Math.round(mean)})`;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}
