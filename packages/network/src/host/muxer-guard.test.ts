import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { generateKeyPair } from '@libp2p/crypto/keys';
import type { Libp2p, Stream } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import { yamux } from '@libp2p/yamux';
import { createLibp2p } from 'libp2p';
import { connectionEnd, ManualClock, until } from 'svc-base/testing';
import { LOOPBACK } from '../../test/testing/kit.ts';
import { agreement, rawTls } from '../../test/testing/raw-tls.ts';
import { Bans } from '../peers/bans.ts';
import { createHost } from './create-host.ts';
import { forgivingMuxer } from './forgiving-muxer.ts';
import { Gater } from './gater.ts';
import { MuxerGuard, type Remote } from './muxer-guard.ts';
import { HOST_DEFAULTS } from './options.ts';
import { socketTls } from './socket-tls.ts';
import { Traffic } from './traffic.ts';

const PROTOCOL = '/svc/test-guard/1';
const HEAD_BYTES = 12;
/** More than any limit. */
const MANY = 100_000;
/** Answers to frames within the limits, and frames that the host sends by itself. */
const ANSWERS_MAX = 2_000;

interface Watched {
  readonly host: Libp2p;
  readonly excesses: { readonly remote: Remote; readonly reason: string }[];
}

/** A host whose clock does not advance: budgets are never refilled. */
async function watchedHost(t: TestContext): Promise<Watched> {
  const options = { ...HOST_DEFAULTS, ...LOOPBACK, directory: '' };
  const excesses: Watched['excesses'] = [];
  const watch = {
    clock: new ManualClock(),
    onExcess: (remote: Remote, reason: string) => void excesses.push({ remote, reason }),
  };
  const gater = new Gater(options, new Bans(new ManualClock()));
  const key = await generateKeyPair('Ed25519');
  const host = await createHost(options, key, gater, new Traffic(), { watch });
  await host.start();
  t.after(() => host.stop());
  return { host, excesses };
}

function frame(type: number, flags: number, streamId: number, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type, 1);
  head.writeUInt16BE(flags, 2);
  head.writeUInt32BE(streamId, 4);
  head.writeUInt32BE(length, 8);
  return head;
}

/** Frames that no honest node sends in such numbers. */
const FLOODS = {
  pings: () => frame(2, 1, 0, 7),
  'streams that it opens': (at: number) => frame(1, 1, 1 + 2 * at, 0),
  'streams that it opens and resets': (at: number) =>
    Buffer.concat([frame(1, 1, 1 + 2 * at, 0), frame(1, 8, 1 + 2 * at, 0)]),
  'allowances for no stream': () => frame(1, 0, 9, 1),
  'frames without data': () => frame(0, 0, 9, 0),
};

for (const [what, frames] of Object.entries(FLOODS)) {
  test(`a side that sends ${what} without end is cut off, and pays`, async (t) => {
    const { host, excesses } = await watchedHost(t);
    const { id, socket, secured } = await rawTls(t, host);
    const end = connectionEnd(socket);
    let answered = 0;
    secured.on('data', (data: Buffer) => {
      answered += data.length / HEAD_BYTES;
    });
    secured.write(Buffer.concat(Array.from({ length: MANY }, (_, at) => frames(at))));
    await end;
    await until(() => host.getConnections().length === 0, 'the connection to be forgotten');
    assert.deepEqual(
      excesses.map(({ remote }) => remote.id),
      [id],
    );
    assert.equal(excesses[0]?.remote.address?.host, '127.0.0.1');
    assert.ok(answered < ANSWERS_MAX, `${answered} frames were answered`);
  });
}

test('a frame that announces more than a window is refused before it has come', async (t) => {
  const { host, excesses } = await watchedHost(t);
  const { socket, secured } = await rawTls(t, host);
  const end = connectionEnd(socket);
  secured.resume();
  secured.write(frame(0, 0, 9, 0xffff_ffff));
  await end;
  assert.match(excesses[0]?.reason ?? '', /4294967295 bytes/);
});

test('a frame that comes byte by byte is refused', async (t) => {
  const { host, excesses } = await watchedHost(t);
  const { socket, secured } = await rawTls(t, host);
  const end = connectionEnd(socket);
  let isOpen = true;
  void end.then(() => {
    isOpen = false;
  });
  secured.resume();
  secured.write(frame(0, 0, 9, 262_144));
  // Each turn of this side is a record of its own.
  for (let sent = 0; sent < 10_000 && isOpen; sent++) {
    secured.write(Buffer.alloc(1));
    await nextTurn();
  }
  await end;
  assert.match(excesses[0]?.reason ?? '', /pieces/);
});

test('what a connection used is not given back to the next one of the same origin', async (t) => {
  const { host, excesses } = await watchedHost(t);
  const key = await generateKeyPair('Ed25519');
  const pings = Buffer.concat(Array.from({ length: 32 }, () => frame(2, 1, 0, 7)));
  let answered = 0;
  for (let connection = 0; connection < 5; connection++) {
    const { socket, secured } = await rawTls(t, host, key);
    const ended = connectionEnd(socket);
    const before = answered;
    secured.on('data', (data: Buffer) => {
      for (let at = 0; at < data.length; at += HEAD_BYTES)
        if (data[at + 1] === 2 && data[at + 3] === 2) answered++;
    });
    secured.write(pings);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await until(() => isOver || answered === before + 32, 'answers or the end');
    assert.equal(isOver, connection === 4, `connection ${connection}`);
    socket.destroy();
    await ended;
  }
  // Together they were too many; alone none of them was.
  assert.deepEqual(excesses, []);
});

async function sendMuch(stream: Stream): Promise<void> {
  for (let message = 0; message < 2_000; message++) {
    stream.send(new Uint8Array(1));
    await nextTurn();
  }
  for (let message = 0; message < 512; message++)
    if (!stream.send(new Uint8Array(65_536))) await stream.onDrain();
  await stream.close();
}

async function count(stream: Stream): Promise<number> {
  let bytes = 0;
  for await (const some of stream) bytes += some.byteLength;
  return bytes;
}

test('33 megabytes each way and thousands of small messages are within the limits of no time at all', async (t) => {
  const [server, client] = [await watchedHost(t), await watchedHost(t)];
  const received: Promise<number>[] = [];
  await server.host.handle(PROTOCOL, async (stream) => {
    received.push(count(stream));
    await sendMuch(stream);
  });
  const connection = await client.host.dial(server.host.getMultiaddrs());
  const stream = await connection.newStream(PROTOCOL);
  received.push(count(stream));
  await sendMuch(stream);
  assert.deepEqual(await Promise.all(received), [33_556_432, 33_556_432]);
  assert.deepEqual([...server.excesses, ...client.excesses], []);
});

test('a side that reads nothing is cut off once too much waits for it', async (t) => {
  const guard = new MuxerGuard({
    clock: new ManualClock(),
    perOriginMax: 1,
    onExcess: () => undefined,
    dataBytesMax: 1_000,
    waitingBytesMax: 10 * HEAD_BYTES,
  });
  const host = await createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [guard.encrypter(socketTls())],
    streamMuxers: [guard.muxer(forgivingMuxer(yamux()))],
    connectionMonitor: { enabled: false },
  });
  t.after(() => host.stop());
  let isFull = false;
  await host.handle(PROTOCOL, (stream) => {
    // More than the system keeps for a connection.
    isFull = !stream.send(new Uint8Array(67_108_864));
  });
  const { socket, secured } = await rawTls(t, host);
  socket.pause();
  const agreed = Buffer.concat([agreement('/multistream/1.0.0'), agreement(PROTOCOL)]);
  secured.write(frame(1, 1, 1, 0x7fff_ffff));
  secured.write(Buffer.concat([frame(0, 0, 1, agreed.length), agreed]));
  await until(() => isFull, 'the host to have more than the connection takes');
  const closed = once(host, 'connection:close');
  const pings = Array.from({ length: 20 }, () => frame(2, 1, 0, 7));
  secured.write(Buffer.concat(pings));
  await closed;
  assert.equal(host.getConnections().length, 0);
});
