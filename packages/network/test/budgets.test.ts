import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { encodeHeightRange, SYNC } from '../src/sync/sync-bytes.ts';
import { SYNC_PROTOCOL } from '../src/sync/sync-server.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { askOnNewStreams } from './testing/reopening.ts';
import { ChainScript } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'budgets' }).grow(40);

test('a stream that is opened again has the budget of the one before', async (t) => {
  const application = new MemoryApplication(script).adopt();
  const network = await startNetwork(t, application);
  const raw = await RawPeer.create(t);
  await raw.join(network, application);
  const answers = await askOnNewStreams(raw, network, 30);
  assert.ok(answers <= 5, `${answers} answers to one peer`);
});

test('all answers together stay within the upload limit of the operator', async (t) => {
  const application = new MemoryApplication(script).adopt();
  const uploadBytesPerSecond = 50_000;
  const network = await startNetwork(t, application, { uploadBytesPerSecond });
  const received = { bytes: 0 };
  const startedAt = performance.now();
  for (let i = 0; i < 3; i++) {
    const raw = await RawPeer.create(t);
    await raw.join(network, application);
    const stream = await raw.open(SYNC_PROTOCOL, ({ payload }) => {
      received.bytes += payload.length;
    });
    for (let request = 0; request < 100; request++)
      stream.send(SYNC.getBodies, encodeHeightRange({ from: 1, count: 32 }));
    for (let request = 0; request < 100; request++)
      stream.send(SYNC.getHeaders, encodeHeightRange({ from: 1, count: 40 }));
  }
  await until(() => received.bytes > 600_000, 'answers');
  const seconds = (performance.now() - startedAt) / 1_000;
  const allowed = uploadBytesPerSecond * (seconds + 2) + 200_000;
  assert.ok(received.bytes <= allowed, `${received.bytes} bytes in ${seconds} s`);
});
