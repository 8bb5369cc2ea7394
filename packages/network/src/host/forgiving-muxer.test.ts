import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Stream } from '@libp2p/interface';
import { until } from 'svc-base/testing';
import { RawPeer } from '../../test/testing/raw-peer.ts';

const PROTOCOL = '/svc/test-muxer/1';
const SMALL_MESSAGES = 2_000;
/** Head of a message of the muxer; what encrypts it adds more. */
const HEAD_BYTES = 12;
const LARGE_MESSAGES = 96;
const LARGE_BYTES = 65_000;

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
