/**
 * Timeouts that leave out the time in which this process had no processor. A process that
 * is starved or was stopped finds its timers due before it has read what came meanwhile, and would take its own absence
 * for the silence of its peers.
 */
import type { Clock } from './clock.ts';

/** The most that one stretch without the processor counts. */
const TURN_MILLIS_MAX = 100;

/**
 * Calls once after the delay, to which each turn adds at most a tenth of a second, however late it comes. Returns a
 * function that cancels the call.
 */
export function afterRunning(clock: Clock, delayMillis: number, call: () => void): () => void {
  let left = Math.max(0, delayMillis);
  const wait = (): (() => void) => {
    const turn = Math.min(TURN_MILLIS_MAX, left);
    return clock.after(turn, () => {
      left -= turn;
      if (left > 0) cancel = wait();
      else call();
    });
  };
  let cancel = wait();
  return () => cancel();
}
