/**
 * Waits of campaigns, which nobody watches with a clock: as long as a busy machine may need for a whole run.
 */
import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MILLIS_MAX = 1_800_000;
const PAUSE_MILLIS = 20;

export async function patiently(
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = performance.now() + WAIT_MILLIS_MAX;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await delay(PAUSE_MILLIS);
  }
}
