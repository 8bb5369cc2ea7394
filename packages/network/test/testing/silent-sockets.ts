/**
 * Sockets of one address that never say a word, each opened anew when it is closed.
 */
import { connect, type Socket } from 'node:net';
import { type TestEnd, until } from 'svc-base/testing';

const REOPEN_MILLIS = 5;

export interface Occupation {
  /** How many sockets have been connected so far. */
  readonly connected: number;
}

/** Resolves when so many sockets have been connected; they come back until the test ends. */
export async function occupy(
  t: TestEnd,
  port: number,
  localAddress: string,
  count: number,
  host = '127.0.0.1',
): Promise<Occupation> {
  const sockets = new Set<Socket>();
  const seen = { connected: 0 };
  let isOver = false;
  const open = (): void => {
    if (isOver) return;
    const socket = connect({ host, port, localAddress });
    sockets.add(socket);
    socket.on('connect', () => seen.connected++);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isOver) setTimeout(open, REOPEN_MILLIS).unref();
    });
  };
  for (let i = 0; i < count; i++) open();
  t.after(() => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
  await until(() => seen.connected >= count, 'sockets');
  return seen;
}
