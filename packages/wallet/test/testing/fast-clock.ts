/**
 * A clock that runs faster than others, so that a test does not wait for what a wallet waits for.
 */
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';

export function fastClock(factor: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * factor,
    monotonic: () => SYSTEM_CLOCK.monotonic() * factor,
    after: (millis, call) => SYSTEM_CLOCK.after(millis / factor, call),
  };
}
