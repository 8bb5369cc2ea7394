/**
 * A pause that a signal can end. A pause that is over leaves nothing at the signal: the socket pauses eight times a second for
 * as long as the page is open.
 */
export function pause(millis: number, ending?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ending?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      ending?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, millis);
    ending?.addEventListener('abort', end);
  });
}
