/**
 * Pace. A cut is due at a fixed distance from the pace base; a delay is repaid by shorter
 * distances, down to two fifths and to one second, but never more than ten minutes of it: the base moves instead.
 */
import type { CutContext } from '../context.ts';
import { CUT_DISTANCE_MILLIS_MIN, PACE_DEBT_MILLIS_MAX } from '../parameters.ts';
import type { EconomyRecord } from '../records.ts';

export function dueMillis(economy: EconomyRecord, height: number): number {
  return economy.paceBaseMillis + economy.paceMillis * height;
}

/**
 * The distance of two cuts while a delay is repaid. Networks with a pace of a second or less repay nothing: their nodes
 * have time for the work of a cut, and blocks for the way to one, at the pace that was chosen for them.
 */
export function shortestMillis(paceMillis: number): number {
  return Math.max(Math.floor((paceMillis * 2) / 5), Math.min(paceMillis, CUT_DISTANCE_MILLIS_MIN));
}

/** The earliest time that the cut after the given state may carry. */
export function earliestMillis(economy: EconomyRecord): number {
  return Math.max(
    dueMillis({ ...economy, paceBaseMillis: paceBaseAfter(economy) }, economy.height + 1),
    economy.timeMillis + shortestMillis(economy.paceMillis),
  );
}

/** The pace base once the last cut's lateness is taken into account. */
export function paceBaseAfter(economy: EconomyRecord): number {
  const late = economy.timeMillis - dueMillis(economy, economy.height);
  return late > PACE_DEBT_MILLIS_MAX
    ? economy.paceBaseMillis + late - PACE_DEBT_MILLIS_MAX
    : economy.paceBaseMillis;
}

export function keepPace(context: CutContext, timeMillis: number): void {
  context.economy.paceBaseMillis = paceBaseAfter(context.economy);
  context.economy.timeMillis = timeMillis;
}
