/**
 * Time as every part of the system sees it. Shells hand in the system clock, development networks a clock that
 * jumps, tests and simulations a clock that they move. Nothing in this file reads a clock of its own.
 */
export interface Clock {
  /** The wall clock in Unix milliseconds; it may be set back. For what is shown, stored or compared between machines. */
  now(): number;
  /** Milliseconds since a moment that is fixed for this clock; never goes back. For measuring how long something took. */
  monotonic(): number;
  /**
   * Calls once after the delay, which counts as zero when it is negative, and never before `after` itself has
   * returned. Returns a function that cancels the call.
   */
  after(delayMillis: number, call: () => void): () => void;
}

/** Resolves after the delay, or at once when the signal aborts. It never rejects: the caller looks at the signal. */
export function sleep(clock: Clock, delayMillis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(delayMillis, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
