import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { loadQuic } from '../src/host/quic.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { ChainScript } from './testing/script.ts';

await init();

const LENGTH = 8;
const script = new ChainScript({ seed: 'quic' }).grow(LENGTH);
const skip =
  (await loadQuic()) === undefined ? 'QUIC has no binary for this machine: passed over' : false;

function isQuic(address: string): boolean {
  return address.includes('/quic-v1');
}

test('a node that asks for QUIC listens for it beside TCP, and another syncs over it', {
  skip,
}, async (t) => {
  const server = await startNetwork(t, new MemoryApplication(script).adopt(), { quic: true });
  const quic = server.addresses.find(isQuic) ?? assert.fail('there is no address for QUIC');
  assert.ok(server.addresses.some((address) => address.includes('/tcp/')));
  const newcomer = new MemoryApplication(script);
  const network = await startNetwork(t, newcomer, { quic: true, bootstrap: [quic] });
  await until(() => newcomer.tip.height === LENGTH, 'the cuts');
  const [peer] = network.peers.list();
  assert.ok(isQuic(peer?.connection.remoteAddr.toString() ?? ''), 'they came over QUIC');
  assert.equal(server.peers.count('inbound'), 1);
});

test('a node that does not ask for QUIC offers TCP alone', async (t) => {
  const { addresses } = await startNetwork(t, new MemoryApplication(script));
  assert.ok(addresses.length > 0 && !addresses.some(isQuic));
});
