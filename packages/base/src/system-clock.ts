/**
 * The clock of the machine, for Node and for browsers. Only shells and their tests use it; everything below them
 * gets a `Clock`.
 */
import type { Clock } from './pure/clock.ts';

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMillis, call) {
    const timer = setTimeout(call, Math.max(0, delayMillis));
    return () => clearTimeout(timer);
  },
};
