/** The time of the page, for "3 s ago": moves once a second, after something has begun to follow it. */
import { signal } from '@preact/signals';

const TICK_MILLIS = 1_000;

export const nowMillis = signal(Date.now());

/** Called once. */
export function startNow(): void {
  setInterval(() => {
    nowMillis.value = Date.now();
  }, TICK_MILLIS);
}
