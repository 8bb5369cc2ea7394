/**
 * What a node remembers of its peers from one run to the next: which it dials first, and which it refuses.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { KnownPeer } from '../src/peers/peer-book.ts';
import { LOOPBACK, startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { ChainScript } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'remembered' });
const HOUR = 3_600_000;

function limits(outboundTarget: number) {
  return { limits: { ...LOOPBACK.limits, outboundTarget } };
}

test('the four peers of its own choice that were connected the longest are dialled first by the next run', async (t) => {
  const application = new MemoryApplication(script);
  const bootstrap: string[] = [];
  for (let i = 0; i < 6; i++) {
    const other = await startNetwork(t, application, limits(0));
    bootstrap.push(other.addresses[0] as string);
  }
  const directory = temporaryDirectory();
  const first = await startNetwork(t, application, { directory, bootstrap, ...limits(6) });
  await until(() => first.peers.count('outbound') === 6, 'six peers');
  const oldest = first.peers
    .list()
    .map(({ id }) => id)
    .slice(0, 4);
  await first.close();
  const stored = JSON.parse(readFileSync(join(directory, 'peers.json'), 'utf8'));
  const anchors = (stored.peers as KnownPeer[]).filter(({ isAnchor }) => isAnchor);
  assert.deepEqual(anchors.map(({ id }) => id).sort(), oldest.sort());
  assert.equal(stored.peers.length, 6);

  const again = await startNetwork(t, application, { directory, ...limits(4) });
  await until(() => again.peers.count('outbound') === 4, 'four peers');
  assert.deepEqual(
    again.peers
      .list()
      .map(({ id }) => id)
      .sort(),
    oldest,
  );
});

test('a ban of a peer that is not in the book outlives a restart', async (t) => {
  const directory = temporaryDirectory();
  const first = await startNetwork(t, new MemoryApplication(script), { directory });
  first.bans.add({ subject: '8.8.8.8', reason: 'garbage', untilMillis: Date.now() + HOUR });
  await first.close();
  const again = await startNetwork(t, new MemoryApplication(script), { directory });
  assert.equal(again.bans.isHostBanned('8.8.8.8'), true);
});

test('a network closes also where its peer book cannot be written, and tries to write it again', async (t) => {
  const directory = temporaryDirectory();
  const inTheWay = join(directory, 'peers.json.new');
  const warnings: string[] = [];
  const log = {
    ...SILENT_LOG,
    warn: (_: object, message: string): void => {
      warnings.push(message);
      rmdirSync(inTheWay);
    },
  };
  const options = { directory, log, ...limits(0) };
  const network = await startNetwork(t, new MemoryApplication(script), options);
  network.book.hear('reported', { host: '127.0.0.1', port: 9 });
  mkdirSync(inTheWay);
  await network.close();
  assert.deepEqual(network.addresses, [], 'it has stopped listening');
  assert.deepEqual(warnings, ['the peer book could not be written']);
  const stored = JSON.parse(readFileSync(join(directory, 'peers.json'), 'utf8'));
  assert.equal(stored.peers.length, 1);
});
