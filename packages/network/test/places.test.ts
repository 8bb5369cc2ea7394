import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { HOST_LIMITS } from '../src/host/options.ts';
import { decodeOverlayEndpoint, encodeOverlayEndpoint } from '../src/overlay/endpoint.ts';
import { LOOPBACK, startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { ChainScript } from './testing/script.ts';
import { occupy } from './testing/silent-sockets.ts';
import { Committee } from './testing/validators.ts';

await init();

const script = new ChainScript({ seed: 'places' });

test('half-open connections of one address leave places for others', async (t) => {
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application);
  const port = Number(network.addresses[0]?.split('/')[4]);
  await occupy(t, port, '127.9.9.9', 48);
  const honest = await RawPeer.create(t);
  await honest.join(network, application);
  assert.equal(network.peers.size, 1);
});

test('idle peers that take all places are evicted for new ones, useful and old ones stay', async (t) => {
  const application = new MemoryApplication(script);
  const inboundMax = 12;
  const limits = { ...LOOPBACK.limits, ...HOST_LIMITS, inboundPerSecond: 1_000, inboundMax };
  const network = await startNetwork(t, application, { limits });
  const useful = await RawPeer.create(t);
  await useful.join(network, application);
  network.peers.get(useful.id)?.reward(10);
  for (let i = 0; i < inboundMax + 4; i++) {
    const idle = await RawPeer.create(t);
    await idle.join(network, application);
  }
  const honest = await startNetwork(t, new MemoryApplication(script), {
    bootstrap: [network.addresses[0] as string],
  });
  await until(() => network.peers.get(honest.peerId) !== undefined, 'a place for a new peer');
  await until(() => network.peers.size <= inboundMax, 'no more than the limit');
  assert.notEqual(network.peers.get(useful.id), undefined, 'the useful peer stays');
});

test('silent sockets of one address do not keep validators from each other', async (t) => {
  const committee = await Committee.start(t, 'jam', ['routed', 'routed', 'routed', 'routed']);
  for (const { overlay } of committee.seats)
    await occupy(t, overlay.ports[0] as number, '127.9.9.9', 80);
  committee.convene();
  await until(() => committee.linkCounts().every((count) => count === 3), 'all links');
});

test('silent sockets of four ranges do not keep out validators that are known by name or have no route', async (t) => {
  const reaches = ['routed', 'routed', 'routed', 'unrouted'] as const;
  const resolve = async (): Promise<string[]> => ['127.0.0.1'];
  const committee = await Committee.start(t, 'jam by name', reaches, { resolve });
  for (const seat of committee.seats) {
    const { keyHash, routes } = decodeOverlayEndpoint(seat.endpoint);
    const named = routes.map((route) => ({ ...route, host: 'validator.example' }));
    seat.endpoint = encodeOverlayEndpoint({ keyHash, routes: named });
    for (const port of seat.overlay.ports)
      for (const range of [1, 2, 3, 4]) await occupy(t, port, `127.9.${range}.1`, 9);
  }
  committee.convene();
  await until(() => committee.linkCounts().every((count) => count === 3), 'all links');
});
