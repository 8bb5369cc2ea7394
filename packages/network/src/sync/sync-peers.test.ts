import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import type { NetworkApplication } from '../application.ts';
import type { Peer } from '../peers/peer.ts';
import type { Peers } from '../peers/peers.ts';
import type { SyncPeer } from './sync-peer.ts';
import { SyncPeers } from './sync-peers.ts';

const CLAIMED = 1_000;

function sources(): SyncPeers {
  return new SyncPeers({
    application: {} as NetworkApplication,
    peers: {} as Peers,
    clock: new ManualClock(),
    log: SILENT_LOG,
    silenceMillisMax: 5_000,
    answerMillisMax: 5_000,
  });
}

function join(all: SyncPeers, id: string): SyncPeer {
  const address = { host: '9.9.9.9', port: 1 };
  const peer = { id, address, claimedHeight: CLAIMED, disconnect: () => undefined };
  all.joined(peer as unknown as Peer);
  return all.list().at(-1) ?? assert.fail('nobody joined');
}

/** Lets a peer show nothing so many times, and leave. */
async function fail(all: SyncPeers, peer: SyncPeer, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await all.ask(peer, async () => undefined);
  all.left(peer.peer);
}

test('a peer that comes back under another name has the failures of its origin', async () => {
  const all = sources();
  await fail(all, join(all, 'a'), 1);
  const back = join(all, 'b');
  assert.equal(all.credibleHeight, 0);
  all.delivered(back);
  assert.equal(all.credibleHeight, CLAIMED);
  all.left(back.peer);
  join(all, 'c');
  assert.equal(all.credibleHeight, CLAIMED);
});

test('a companion without failures that leaves last does not clear those of its origin', async () => {
  const all = sources();
  const companion = join(all, 'companion');
  await fail(all, join(all, 'a'), 1);
  all.left(companion.peer);
  join(all, 'b');
  assert.equal(all.credibleHeight, 0);
});

test('of several peers of an origin that leave the one with the most failures counts', async () => {
  const all = sources();
  const [worse, better] = [join(all, 'worse'), join(all, 'better')];
  await fail(all, worse, 2);
  await fail(all, better, 1);
  let isDisconnected = false;
  const back = join(all, 'b');
  back.peer.disconnect = () => {
    isDisconnected = true;
  };
  await all.ask(back, async () => undefined);
  assert.ok(isDisconnected, 'the third failure ends the connection');
});
