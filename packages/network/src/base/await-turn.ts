/**
 * A wait in somebody's queue, which whoever waits leaves when its signal aborts.
 */

/** `join` puts the caller of `enter` into the queue and returns what takes it out again, whichever way the wait ends. */
export function awaitTurn(
  signal: AbortSignal,
  join: (enter: () => void) => () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      leave();
    };
    const abort = (): void => {
      end();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort);
    const leave = join(() => {
      end();
      resolve();
    });
  });
}
