import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connection, Stream, StreamMuxer } from '@libp2p/interface';
import { until } from 'svc-base/testing';
import { RawPeer } from '../../test/testing/raw-peer.ts';

const PROTOCOL = '/svc/test-muxer/1';
const SMALL_MESSAGES = 2_000;
/** Head of a message of the muxer; what encrypts it adds more. */
const HEAD_BYTES = 12;
const LARGE_MESSAGES = 96;
const LARGE_BYTES = 65_000;
/** What a stream of yamux may send before it is granted more. */
const FIRST_WINDOW = 262_144;

test('small messages are not answered one by one, and more than a window comes whole', async (t) => {
  const [server, client] = [await RawPeer.create(t), await RawPeer.create(t)];
  await server.host.handle(PROTOCOL, async (stream) => {
    for (let message = 0; message < SMALL_MESSAGES; message++) {
      stream.send(new Uint8Array(1));
      await nextTurn();
    }
    stream.addEventListener('message', () => void sendLarge(stream), { once: true });
  });
  client.connection = await client.host.dial(server.host.getMultiaddrs());
  const stream = await client.connection.newStream(PROTOCOL);
  const sentBefore = client.traffic.sentBytes;
  let received = 0;
  stream.addEventListener('message', ({ data }) => {
    received += data.byteLength;
  });
  await until(() => received === SMALL_MESSAGES, 'small messages');
  stream.send(new Uint8Array(1));
  await until(() => received > SMALL_MESSAGES, 'the first large message');
  // What was sent before the request is on its way too.
  const sent = client.traffic.sentBytes - sentBefore;
  assert.ok(sent < (SMALL_MESSAGES * HEAD_BYTES) / 2, `${sent} bytes were sent`);
  const all = SMALL_MESSAGES + LARGE_MESSAGES * LARGE_BYTES;
  await until(() => received === all, 'everything that was sent');
});

async function sendLarge(stream: Stream): Promise<void> {
  for (let message = 0; message < LARGE_MESSAGES; message++)
    if (!stream.send(new Uint8Array(LARGE_BYTES))) await stream.onDrain();
}

/** With their lengths before them. */
const MULTISTREAM = Buffer.from('\x13/multistream/1.0.0\n');
const PING = Buffer.from('\x11/ipfs/ping/1.0.0\n');
/** An unknown protocol, 1,000 bytes in all. */
const UNKNOWN = Buffer.concat([Buffer.of(0xe6, 0x07), Buffer.alloc(997, 'x'), Buffer.from('\n')]);

for (const [what, start] of [
  ['does not say what it is for', MULTISTREAM],
  ['pings without reading', Buffer.concat([MULTISTREAM, PING])],
] as const)
  test(`a stream that ${what} is allowed no more than its first window`, async (t) => {
    const [server, client] = [await RawPeer.create(t), await RawPeer.create(t)];
    await server.host.handle(PROTOCOL, (stream) => {
      stream.addEventListener('message', ({ data }) => stream.send(data));
    });
    client.connection = await client.host.dial(server.host.getMultiaddrs());
    const { muxer } = client.connection as Connection & { readonly muxer: StreamMuxer };
    const greedy = await muxer.createStream();
    greedy.maxWriteBufferLength = 8 * FIRST_WINDOW;
    const all = Buffer.concat([start, ...Array.from({ length: 1_000 }, () => UNKNOWN)]);
    greedy.send(all);
    // Whatever is allowed is allowed before the answer to what was sent later.
    const echo = await client.connection.newStream(PROTOCOL);
    for (let turn = 1; turn <= 8; turn++) {
      const answered = new Promise((resolve) =>
        echo.addEventListener('message', resolve, { once: true }),
      );
      echo.send(new Uint8Array(1));
      await answered;
    }
    assert.ok(greedy.writeBufferLength >= all.length - FIRST_WINDOW, 'it was allowed more');
  });
