/**
 * Waiting for other tasks or processes. The bound ends a wait that never succeeds: it is far beyond what a busy
 * machine needs, and no test may use it to measure speed.
 */
const WAIT_MILLIS_MAX = 120_000;
const PAUSE_MILLIS = 10;

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + WAIT_MILLIS_MAX;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
  }
}
