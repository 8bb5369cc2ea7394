/** A clock that a test moves. */
import type { Clock } from '../../../src/base/clock.ts';

export class ManualClock implements Clock {
  millis = 1_700_000_000_000;

  now(): number {
    return this.millis;
  }

  after(): () => void {
    return () => {};
  }
}
