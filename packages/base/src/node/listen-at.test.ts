import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { listenAt } from './listen-at.ts';

const ANY = { host: '127.0.0.1', port: 0 };

test('a server listens at the port that was free, and not twice at one', async () => {
  const first = await listenAt(createServer(), ANY);
  assert.equal(first.host, '127.0.0.1');
  assert.ok(first.port > 0);
  await assert.rejects(listenAt(createServer(), first), { code: 'EADDRINUSE' });
  await first.close();
  const second = await listenAt(createServer(), first);
  await second.close();
});

test('closing ends connections that are open, of HTTP and of others', async () => {
  const sockets = new Set<Socket>();
  const plain = createServer((socket) => sockets.add(socket));
  const endSockets = () => {
    for (const socket of sockets) socket.destroy();
  };
  for (const [server, end] of [
    [createHttpServer(), undefined],
    [plain, endSockets],
  ] as const) {
    const listening = await listenAt(server, ANY, end);
    const socket = connect(listening.port, listening.host);
    socket.on('error', () => {});
    const [, ended] = [await once(server, 'connection'), once(socket, 'close')];
    await listening.close();
    await ended;
  }
});
