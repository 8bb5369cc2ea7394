/**
 * What it costs to write one message to each of many sockets, with nothing else: the least that any fan-out of jobs takes.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { ReadersTask } from './mining-fanout-readers.ts';

/** Between two rounds, for the other side to read. */
const PAUSE_MILLIS = 300;

/** The least processor time of a round over a few, in milliseconds. */
export async function measureWrites(
  messages: readonly Uint8Array[],
  count: number,
  rounds: number,
): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer({ noDelay: true }, (socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const readers = fork(new URL('./mining-fanout-readers.ts', import.meta.url));
  const { port } = server.address() as { readonly port: number };
  readers.send({ port, sockets: count } satisfies ReadersTask);
  await Promise.race([
    once(readers, 'message'),
    once(readers, 'exit').then(() => Promise.reject(new Error('the readers are gone'))),
  ]);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
    const before = process.threadCpuUsage();
    for (const [place, socket] of sockets.entries())
      socket.write(messages[place % messages.length] as Uint8Array);
    await new Promise(setImmediate);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  for (const socket of sockets) socket.destroy();
  server.close();
  readers.disconnect();
  return least;
}
