/**
 * The cuts whose certificates every node keeps for good: multiples of a number, and the last cut that each set
 * signed; see `docs/protocol.md` 8.
 */
import type { HistoryKeeper } from './history-keeper.ts';

export const CHECKPOINT_CUTS = 576;

type Rules = Pick<HistoryKeeper, 'interval' | 'recoveredHeights'>;

/** The last checkpoint before a height; 0 if there is none. */
export function checkpointBelow(height: number, { interval, recoveredHeights }: Rules): number {
  const below = height - 1;
  const recovered = recoveredHeights.filter((one) => one <= below);
  return Math.max(below - (below % CHECKPOINT_CUTS), below - (below % interval), ...recovered);
}

/** The first checkpoint that is not before a height. */
export function checkpointFrom(height: number, { interval, recoveredHeights }: Rules): number {
  const from = (every: number): number => Math.ceil(height / every) * every;
  const recovered = recoveredHeights.filter((one) => one >= height);
  return Math.min(from(CHECKPOINT_CUTS), from(interval), ...recovered);
}
