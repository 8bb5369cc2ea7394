import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { UpdateAnnouncement } from '../src/handshake/handshake.ts';
import { LOOPBACK, startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { ChainScript } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'handshake' });

test('two nodes find each other through one bootstrap address and shake hands', async (t) => {
  const first = await startNetwork(t, new MemoryApplication(script));
  const second = await startNetwork(t, new MemoryApplication(script), {
    bootstrap: [first.addresses[0] as string],
    agent: 'second/1',
  });
  await until(() => first.peers.size === 1 && second.peers.size === 1, 'handshake');
  assert.equal(first.peers.count('inbound'), 1);
  assert.equal(second.peers.count('outbound'), 1);
  const [peer] = first.peers.list();
  assert.equal(peer?.id, second.peerId);
  assert.equal(peer?.hello.agent, 'second/1');
  assert.equal(peer?.connection.encryption, '/tls/1.0.0');
});

test('a peer of another chain gets the reason and is disconnected', async (t) => {
  const first = await startNetwork(t, new MemoryApplication(script));
  const other = new MemoryApplication(new ChainScript({ seed: 'another' }));
  const reasons: string[] = [];
  const second = await startNetwork(t, other, { bootstrap: [first.addresses[0] as string] });
  second.handshake.refused.on(({ reason }) => reasons.push(reason));
  await until(() => reasons.length > 0, 'refusal');
  assert.equal(reasons[0], 'other_chain');
  assert.equal(first.peers.size, 0);
  assert.equal(second.peers.size, 0);
});

test('a peer on a newer protocol or other rules is a hint that an update is announced', async (t) => {
  const application = new MemoryApplication(script);
  const first = await startNetwork(t, application);
  const announced: UpdateAnnouncement[] = [];
  first.handshake.updateAnnounced.on((announcement) => announced.push(announcement));
  const newer = new MemoryApplication(script);
  newer.identity = { ...newer.identity, protocolVersion: 2 };
  const older = new MemoryApplication(script);
  older.identity = { ...older.identity, protocolVersion: 0, rulesId: 'ab'.repeat(48) };
  const bootstrap = [first.addresses[0] as string];
  const second = await startNetwork(t, newer, { bootstrap });
  const third = await startNetwork(t, older, { bootstrap });
  await until(() => first.peers.size === 2, 'handshakes');
  assert.deepEqual(
    announced.map(({ peerId, protocolVersion }) => [peerId, protocolVersion]),
    [[second.peerId, 2]],
  );
  assert.notEqual(first.peers.get(third.peerId), undefined);
});

test('a peer that is slow to say hello has a minute, and five seconds once others want its place', async (t) => {
  const clock = new ManualClock();
  const limits = { ...LOOPBACK.limits, inboundMax: 2 };
  const network = await startNetwork(t, new MemoryApplication(script), { clock, limits });
  const refused: string[] = [];
  network.handshake.refused.on(({ peerId }) => refused.push(peerId));
  const silent = async (): Promise<string> => {
    const timers = clock.pending;
    const raw = await RawPeer.create(t);
    await raw.dial(network);
    await until(() => clock.pending > timers, 'the node to wait for a hello');
    return raw.id;
  };
  const first = await silent();
  clock.advance(59_000);
  assert.deepEqual(refused, []);
  clock.advance(1_000);
  assert.deepEqual(refused, [first], 'its minute is over');
  clock.advance(1_000);
  const second = await silent();
  clock.advance(30_000);
  assert.deepEqual(refused, [first]);
  await silent();
  clock.advance(1_000);
  assert.deepEqual(refused, [first, second], 'the third has its five seconds');
});

test('a connection that said hello, or that ended, is not waited for any more', async (t) => {
  // The silent peer has its minute however long the rest takes.
  const network = await startNetwork(t, new MemoryApplication(script), {
    clock: new ManualClock(),
  });
  const silent = await RawPeer.create(t);
  await silent.dial(network);
  await until(() => network.handshake.awaited === 1, 'the node to wait for a hello');
  const polite = await startNetwork(t, new MemoryApplication(script), {
    bootstrap: [network.addresses[0] as string],
  });
  await until(() => network.peers.get(polite.peerId) !== undefined, 'handshake');
  assert.equal(network.handshake.awaited, 1, 'the silent one alone');
  await silent.connection.close();
  await until(() => network.handshake.awaited === 0, 'the end of the silent connection');
});

test('nothing looks for a hello any more once it was said, or the connection has ended', async (t) => {
  const clock = new ManualClock();
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application, { clock });
  const timers = clock.pending;
  const silent = await RawPeer.create(t);
  await silent.dial(network);
  await until(() => clock.pending === timers + 1, 'the node to wait for a hello');
  const polite = await RawPeer.create(t);
  await polite.join(network, application);
  await until(() => clock.pending === timers + 1, 'the wait for the second hello to end');
  await silent.connection.close();
  await until(() => clock.pending === timers, 'the wait for the first hello to end');
});
