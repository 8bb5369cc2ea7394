/**
 * Sockets of one address that never say a word, each opened anew when it is closed.
 */
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { until } from 'svc-base/testing';

const REOPEN_MILLIS = 5;

/** Resolves when so many sockets have been connected; they come back until the test ends. */
export async function occupy(
  t: Pick<TestContext, 'after'>,
  port: number,
  localAddress: string,
  count: number,
): Promise<void> {
  const sockets = new Set<Socket>();
  let isOver = false;
  let connected = 0;
  const open = (): void => {
    if (isOver) return;
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    sockets.add(socket);
    socket.on('connect', () => connected++);
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
  await until(() => connected >= count, 'sockets');
}
