/**
 * Waiting that a signal can end.
 */
export function sleep(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
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
  });
}
