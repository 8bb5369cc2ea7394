import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { generateKeyPair } from '@libp2p/crypto/keys';
import type { Libp2p, Stream } from '@libp2p/interface';
import { peerIdFromPrivateKey } from '@libp2p/peer-id';
import { tcp } from '@libp2p/tcp';
import { tls } from '@libp2p/tls';
import { yamux } from '@libp2p/yamux';
import { multiaddr } from '@multiformats/multiaddr';
import { createLibp2p } from 'libp2p';
import { connectionEnd } from 'svc-base/testing';
import { AGREED, rawTls, socketTo } from '../../test/testing/raw-tls.ts';
import { socketTls } from './socket-tls.ts';

const DIGEST = '/digest/1';
const BYTES = 3_000_000;
const WAYS = { own: socketTls, packaged: tls };

type Way = keyof typeof WAYS;

/** A host that answers a stream, once its other side has ended it, with the hash of what came. */
async function hostOf(t: TestContext, way: Way, inboundUpgradeTimeout = 60_000): Promise<Libp2p> {
  const host = await createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [WAYS[way]()],
    streamMuxers: [yamux()],
    connectionManager: { inboundUpgradeTimeout },
    // Nothing is written beside what a test writes.
    connectionMonitor: { enabled: false },
  });
  t.after(() => host.stop());
  await host.handle(DIGEST, async (stream) => {
    const hash = createHash('sha256');
    for await (const some of stream) hash.update(some.subarray());
    stream.send(hash.digest());
    await stream.close();
  });
  return host;
}

async function read(stream: Stream): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const some of stream) read.push(some.subarray());
  return Buffer.concat(read);
}

for (const [dialing, listening] of [
  ['own', 'own'],
  ['own', 'packaged'],
  ['packaged', 'own'],
] as const) {
  test(`bytes arrive whole and in order, from the ${dialing} way to the ${listening}`, async (t) => {
    const from = await hostOf(t, dialing);
    const to = await hostOf(t, listening);
    const opened = once(to, 'connection:open');
    const connection = await from.dial(to.getMultiaddrs());
    await opened;
    assert.equal(connection.encryption, '/tls/1.0.0');
    assert.equal(connection.multiplexer, '/yamux/1.0.0');
    assert.ok(connection.remotePeer.equals(to.peerId));
    const back = to.getConnections(from.peerId)[0];
    assert.ok(back);
    for (const way of [connection, back]) {
      const stream = await way.newStream(DIGEST);
      const bytes = randomBytes(BYTES);
      for (let at = 0; at < BYTES; at += 99_999)
        if (!stream.send(bytes.subarray(at, at + 99_999))) await stream.onDrain();
      const answer = read(stream);
      await stream.close();
      assert.deepEqual(await answer, createHash('sha256').update(bytes).digest());
    }
    const closed = once(to, 'connection:close');
    await connection.close();
    await closed;
    assert.equal(back.status, 'closed');
  });
}

test('a side with another key than the one that was dialled is refused', async (t) => {
  const from = await hostOf(t, 'own');
  const to = await hostOf(t, 'own');
  const other = peerIdFromPrivateKey(await generateKeyPair('Ed25519'));
  const [address] = to.getMultiaddrs();
  const dialled = String(address).replace(String(to.peerId), String(other));
  await assert.rejects(from.dial(multiaddr(dialled)), /Unexpected Peer/);
  assert.equal(from.getConnections().length, 0);
});

test('a handshake that begins before TLS is agreed on is heard', async (t) => {
  const host = await hostOf(t, 'own');
  const key = await generateKeyPair('Ed25519');
  const opened = once(host, 'connection:open');
  const { secured } = await rawTls(t, host, key);
  assert.equal(secured.alpnProtocol, '/yamux/1.0.0');
  await opened;
  assert.equal(host.getConnections(peerIdFromPrivateKey(key)).length, 1);
});

// What is no handshake is refused by itself; only silence needs the limit of time.
for (const [words, said, millisMax] of [
  ['says nothing', Buffer.alloc(0), 1_000],
  ['says something else', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 86_400_000],
] as const) {
  test(`a side that ${words} instead of a handshake is let go of`, async (t) => {
    const host = await hostOf(t, 'own', millisMax);
    const socket = socketTo(t, host);
    const end = connectionEnd(socket);
    socket.write(Buffer.concat([AGREED, said]));
    socket.resume();
    await end;
    assert.equal(host.getConnections().length, 0);
  });
}

/** Says that 256 encrypted bytes follow. */
const RECORD_HEAD = Buffer.of(23, 3, 3, 1, 0);

const ENDS = {
  'is reset': (socket: Socket) => void socket.resetAndDestroy(),
  'carries bytes that the other side did not encrypt': (socket: Socket) =>
    void socket.write(Buffer.concat([RECORD_HEAD, randomBytes(256)])),
};

for (const [words, end] of Object.entries(ENDS)) {
  test(`a connection that ${words} after its handshake is let go of, and others continue`, async (t) => {
    const [host, other] = [await hostOf(t, 'own'), await hostOf(t, 'own')];
    const opened = once(host, 'connection:open');
    const { socket } = await rawTls(t, host);
    await opened;
    const kept = await other.dial(host.getMultiaddrs());
    const closed = once(host, 'connection:close');
    end(socket);
    await closed;
    const stream = await kept.newStream(DIGEST);
    const answer = read(stream);
    stream.send(Buffer.from('still here'));
    await stream.close();
    assert.deepEqual(await answer, createHash('sha256').update('still here').digest());
    assert.equal(host.getConnections().length, 1);
  });
}
