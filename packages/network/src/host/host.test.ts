import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Connection, MultiaddrConnection } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { Bans } from '../peers/bans.ts';
import { Gater, STRANGERS_MAX } from './gater.ts';
import { parsePeerAddress, peerIdOf, socketAddressOf } from './multiaddresses.ts';
import { HOST_LIMITS } from './options.ts';
import { openPeerKey } from './peer-key.ts';
import { Traffic } from './traffic.ts';

function connectionTo(host: string, id: string, direction: 'inbound' | 'outbound'): Connection {
  return { id, direction, remoteAddr: multiaddr(`/ip4/${host}/tcp/1`) } as unknown as Connection;
}

function knocking(host: string): MultiaddrConnection {
  return { remoteAddr: multiaddr(`/ip4/${host}/tcp/9`) } as unknown as MultiaddrConnection;
}

test('the door lets in so many of a range and so many in all, and no banned address', () => {
  const bans = new Bans(new ManualClock(0));
  const limits = { ...HOST_LIMITS, inboundMax: 6, perRangeMax: 2 };
  const gater = new Gater({ limits, allowPrivateAddresses: false }, bans, new ManualClock());
  for (const [index, host] of ['8.8.8.1', '8.8.8.2'].entries()) {
    assert.equal(gater.denyInboundConnection(knocking(host)), false);
    gater.opened(connectionTo(host, `${index}`, 'inbound'));
  }
  assert.equal(gater.denyInboundConnection(knocking('8.8.8.3')), true);
  assert.equal(gater.denyInboundConnection(knocking('8.8.9.3')), false);
  gater.closed(connectionTo('8.8.8.1', '0', 'inbound'));
  assert.equal(gater.denyInboundConnection(knocking('8.8.8.3')), false);
  bans.add({ subject: '8.8.8.3', reason: 'garbage', untilMillis: 1 });
  assert.equal(gater.denyInboundConnection(knocking('8.8.8.3')), true);
  for (let i = 0; i < 5 + STRANGERS_MAX; i++)
    gater.opened(connectionTo(`9.9.${i}.1`, `more ${i}`, 'inbound'));
  assert.equal(gater.denyInboundConnection(knocking('7.7.7.7')), true);
});

/** A full node: as many peers as it has places for, and beyond them connections that say no hello. */
function fullDoor(silentHost: (place: number) => string) {
  const clock = new ManualClock();
  const limits = { ...HOST_LIMITS, inboundMax: 6, perRangeMax: 4 };
  const gater = new Gater(
    { limits, allowPrivateAddresses: false },
    new Bans(new ManualClock()),
    clock,
  );
  const ended: string[] = [];
  const open = (host: string, id: string): Connection => {
    const abort = (): void => {
      ended.push(id);
      gater.closed(connection);
    };
    const connection = { ...connectionTo(host, id, 'inbound'), abort };
    gater.opened(connection);
    return connection;
  };
  for (let i = 0; i < limits.inboundMax; i++) gater.greeted(open(`7.7.${i}.1`, `peer ${i}`));
  for (let i = 0; i < STRANGERS_MAX; i++) open(silentHost(i), `silent ${i}`);
  return { clock, gater, ended, open };
}

test('at a full door silent connections of a few ranges give way to another range at once', () => {
  const { gater, ended, open, clock } = fullDoor((place) => `9.9.${place % 4}.${place}`);
  assert.equal(gater.denyInboundConnection(knocking('8.8.8.8')), false);
  const honest = open('8.8.8.8', 'honest');
  assert.deepEqual(ended, ['silent 15']);
  clock.advance(5_000);
  for (let i = 0; i < 8; i++) open(`9.9.${i % 4}.99`, `again ${i}`);
  assert.ok(!ended.includes('honest'), 'those who are many make room for each other');
  gater.greeted(honest);
  assert.equal(gater.count('inbound'), 6 + STRANGERS_MAX);
});

test('at a full door the oldest silent connection of many ranges gives way after three seconds, a peer never', () => {
  const { gater, ended, open, clock } = fullDoor((place) => `9.9.${place}.1`);
  assert.equal(gater.denyInboundConnection(knocking('8.8.8.8')), true);
  open('8.8.8.8', 'raced');
  assert.deepEqual(ended, ['raced'], 'no other has had its time');
  clock.advance(2_999);
  assert.equal(gater.denyInboundConnection(knocking('8.8.8.8')), true);
  clock.advance(1);
  assert.equal(gater.denyInboundConnection(knocking('8.8.8.8')), false);
  open('8.8.8.8', 'honest');
  assert.deepEqual(ended, ['raced', 'silent 0']);
  clock.advance(60_000);
  for (let i = 0; i < 3 * STRANGERS_MAX; i++) open(`9.8.${i}.1`, `more ${i}`);
  assert.ok(!ended.some((id) => id.startsWith('peer')));
  assert.equal(gater.count('inbound'), 6 + STRANGERS_MAX);
});

test('addresses of peers as operators write them', () => {
  const text = (address: string): string => parsePeerAddress(address, 28_700).toString();
  assert.equal(text('203.0.113.5'), '/ip4/203.0.113.5/tcp/28700');
  assert.equal(text('203.0.113.5:1'), '/ip4/203.0.113.5/tcp/1');
  assert.equal(text('[2606:4700::1]:7'), '/ip6/2606:4700::1/tcp/7');
  assert.equal(text('seed.example'), '/dns/seed.example/tcp/28700');
  assert.equal(text('/ip4/1.2.3.4/tcp/5'), '/ip4/1.2.3.4/tcp/5');
  for (const wrong of ['', 'a b', 'host:0', 'host:65536', '[::1', '/ip4/1.2.3/tcp/5', 'x:1:2'])
    assert.throws(() => text(wrong), RangeError, wrong);
  const address = multiaddr('/ip6/::ffff:1.2.3.4/tcp/9');
  assert.deepEqual(socketAddressOf(address), { host: '1.2.3.4', port: 9 });
  assert.equal(peerIdOf(address), undefined);
});

test('the key of a peer is made once', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await openPeerKey(directory);
  assert.ok(first.equals(await openPeerKey(directory)));
  const path = join(directory, 'peer.key');
  const stored = await readFile(path);
  let refused = 0;
  for (let at = 0; at < stored.length; at++) {
    await writeFile(path, stored.with(at, (stored[at] as number) ^ 4));
    await openPeerKey(directory).then(
      (key) => assert.ok(first.equals(key), `byte ${at}`),
      ({ message }: Error) => {
        refused++;
        assert.match(message, /peer\.key is no peer key/);
      },
    );
  }
  assert.ok(refused >= 64, 'both halves of the key');
});

test('traffic is what the sockets counted, open and closed', async () => {
  const server = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const traffic = new Traffic();
  const socket = connect(port, '127.0.0.1');
  traffic.track(socket);
  traffic.track(socket);
  const echoed = new Promise<void>((resolve) => {
    let got = 0;
    socket.on('data', (data) => {
      got += data.length;
      if (got === 5_000) resolve();
    });
  });
  socket.write(new Uint8Array(5_000));
  await echoed;
  assert.deepEqual([traffic.sentBytes, traffic.receivedBytes], [5_000, 5_000]);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end();
  await closed;
  assert.deepEqual([traffic.sentBytes, traffic.receivedBytes], [5_000, 5_000]);
  server.close();
});
