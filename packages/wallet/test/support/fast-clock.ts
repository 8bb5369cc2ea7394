/**
 * A clock that runs faster than others, so that a test does not wait for what a wallet waits for.
 */
import { type Clock, SYSTEM_CLOCK } from '../../src/base/clock.ts';

export function fastClock(factor: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * factor,
    sleep: (millis, signal) => SYSTEM_CLOCK.sleep(millis / factor, signal),
  };
}
