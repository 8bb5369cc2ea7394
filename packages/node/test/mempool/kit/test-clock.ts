/** A clock that a test moves. */
import type { Clock } from '../../../src/base/clock.ts';

export class TestClock implements Clock {
  millis = 1_700_000_000_000;

  now(): number {
    return this.millis;
  }

  after(): () => void {
    throw new Error('nobody waits on this clock');
  }
}
