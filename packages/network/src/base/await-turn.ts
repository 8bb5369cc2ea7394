/**
 * A wait in a queue, which ends when the signal of the waiting caller aborts.
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
