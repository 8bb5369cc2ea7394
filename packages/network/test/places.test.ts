import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { HOST_LIMITS } from '../src/host/options.ts';
import type { Network } from '../src/network.ts';
import { LOOPBACK, startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { ChainScript } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'places' });

/** Opens sockets from one address that never say a word, and opens each anew that is closed. */
async function occupy(
  t: Pick<TestContext, 'after'>,
  network: Network,
  localAddress: string,
  count: number,
): Promise<void> {
  const port = Number(network.addresses[0]?.split('/')[4]);
  const sockets = new Set<Socket>();
  let isOver = false;
  let connected = 0;
  const open = (): void => {
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    sockets.add(socket);
    socket.on('connect', () => connected++);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isOver) setTimeout(open, 100).unref();
    });
  };
  for (let i = 0; i < count; i++) open();
  t.after(() => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
  await until(() => connected >= count, 'sockets');
}

test('half-open connections of one address leave places for others', async (t) => {
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application);
  await occupy(t, network, '127.9.9.9', 48);
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
