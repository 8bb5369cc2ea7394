/**
 * Time as the parts of a node see it.
 */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Runs once after a delay; the answer cancels it. */
  after(delayMillis: number, run: () => void): () => void;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after(delayMillis, run) {
    const timer = setTimeout(run, Math.max(0, delayMillis));
    return () => clearTimeout(timer);
  },
};
