/**
 * Time as the wallet sees it; tests bring their own.
 */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after the delay, or at once when the signal ends it. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (millis, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, millis);
      signal?.addEventListener('abort', end, { once: true });
    }),
};
