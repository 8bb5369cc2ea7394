import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connectionEnd, dataOrEnd, until } from '../testing/index.ts';
import { ConnectionLimit, type ConnectionLimitOptions } from './connection-limit.ts';

const UNFINISHED = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{';
const PLAIN = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server that answers `GET /` at once and keeps `GET /slow` until the test ends it. */
async function scene(t: TestContext, options: ConnectionLimitOptions) {
  const slow: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/slow') slow.push(response);
    else request.on('end', () => response.end('ok'));
  });
  const places = new ConnectionLimit(options);
  places.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  return { places, slow, open };
}

async function answered(socket: Socket, text = PLAIN): Promise<boolean> {
  const said = dataOrEnd(socket);
  socket.write(text);
  return said;
}

test('connections that wait for a request, or for the rest of one, give way to a newcomer', async (t) => {
  for (const words of ['', UNFINISHED]) {
    const { places, open } = await scene(t, { places: 8, placesPerClient: 8 });
    const waiting: Socket[] = [];
    for (let index = 0; index < 8; index++) {
      const socket = await open();
      socket.resume();
      socket.write(words);
      waiting.push(socket);
      await until(() => places.count === index + 1, 'the number of connections');
    }
    const firstEnded = connectionEnd(waiting[0] as Socket);
    assert.equal(await answered(await open()), true);
    await firstEnded;
    assert.equal(places.count, 8);
    assert.equal(waiting.filter(({ closed }) => closed).length, 1, 'only the first gave way');
  }
});

test('busy connections stay; a newcomer without a place is ended', async (t) => {
  const { places, slow, open } = await scene(t, { places: 2, placesPerClient: 2 });
  const busy = [await open(), await open()];
  const answers = busy.map((socket) => answered(socket, PLAIN.replace('/', '/slow')));
  await until(() => slow.length === 2, 'the number of connections');
  assert.equal(await answered(await open()), false);
  for (const response of slow) response.end('late');
  assert.deepEqual(await Promise.all(answers), [true, true]);
  assert.equal(await answered(await open()), true, 'the busy ones wait now');
  assert.equal(places.count, 2);
});

test('a client has its share, and the one with the most gives way first', async (t) => {
  const { places, open } = await scene(t, { places: 6, placesPerClient: 4 });
  const greedy: Socket[] = [];
  for (let index = 0; index < 10; index++) greedy.push(await open('127.0.0.2'));
  await until(
    () => greedy.filter(({ closed }) => closed).length === 6,
    'the number of connections',
  );
  assert.equal(places.count, 4);
  const others = [await open('127.0.0.3'), await open('127.0.0.4'), await open('127.0.0.5')];
  await until(
    () => greedy.filter(({ closed }) => closed).length === 7,
    'the number of connections',
  );
  for (const socket of others) assert.equal(await answered(socket), true);
  assert.equal(places.count, 6);
});

test('an excepted address may take every place, and places are free again after the end', async (t) => {
  const isExcepted = (address: string): boolean => address === '127.0.0.9';
  const { places, open } = await scene(t, { places: 5, placesPerClient: 1, isExcepted });
  const proxied = await Promise.all(Array.from({ length: 5 }, () => open('127.0.0.9')));
  await until(() => places.count === 5, 'the number of connections');
  for (const socket of proxied) socket.destroy();
  await until(() => places.count === 0, 'the number of connections');
});

test('a client that may not connect is ended unread, an excepted one is not asked, and who waits can be ended', async (t) => {
  const asked: string[] = [];
  const { places, open } = await scene(t, {
    places: 8,
    placesPerClient: 8,
    clientOf: (address) => `client ${address}`,
    isExcepted: (address) => address === '127.0.0.9',
    mayConnect: (client) => {
      asked.push(client);
      return client !== 'client 127.0.0.2';
    },
  });
  assert.equal(await answered(await open('127.0.0.2')), false);
  assert.equal(await answered(await open('127.0.0.9')), true);
  const waiting = [await open('127.0.0.3'), await open('127.0.0.3')];
  await until(() => places.count === 3, 'the number of connections');
  assert.deepEqual(asked, ['client 127.0.0.2', 'client 127.0.0.3', 'client 127.0.0.3']);
  const ended = waiting.map((socket) => connectionEnd(socket.resume()));
  places.endWaiting('client 127.0.0.3');
  await Promise.all(ended);
  assert.equal(places.count, 1);
  places.endWaiting('client 127.0.0.4');
});
