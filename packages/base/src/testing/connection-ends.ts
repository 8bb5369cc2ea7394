/**
 * Waiting for connections that another side may end, and may reset: `once` of `node:events` takes a reset for a failure of
 * the wait.
 */
import type { Socket } from 'node:net';

/** Resolves when the connection has ended, whichever way. */
export function connectionEnd(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}

/** Resolves with true when data arrives, or with false when the connection has ended. */
export function dataOrEnd(socket: Socket): Promise<boolean> {
  if (socket.closed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onData = (): void => answer(true);
    const onClose = (): void => answer(false);
    const answer = (came: boolean): void => {
      socket.off('data', onData).off('close', onClose);
      resolve(came);
    };
    socket.on('data', onData).on('close', onClose);
  });
}
