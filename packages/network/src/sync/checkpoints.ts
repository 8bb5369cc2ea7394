/**
 * The cuts whose certificates every node keeps for ever: multiples of a number, and the last cut of each epoch; see
 * `docs/protocol.md` 8.
 */
export const CHECKPOINT_CUTS = 576;

/** The last checkpoint before a height; 0 if there is none. */
export function checkpointBelow(height: number, interval: number): number {
  const below = height - 1;
  return Math.max(below - (below % CHECKPOINT_CUTS), below - (below % interval));
}

/** The first checkpoint that is not before a height. */
export function checkpointFrom(height: number, interval: number): number {
  const from = (every: number): number => Math.ceil(height / every) * every;
  return Math.min(from(CHECKPOINT_CUTS), from(interval));
}
