import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { NO_PEERS } from 'svc-serve/ports';
import { ServicesFixture } from '../testing/services-fixture.ts';
import { NO_UPDATES, SelfReport } from './self-report.ts';

const PACE_MILLIS = 2_500;

test('[SYNC-01] [HTTP-22] the sync document counts how far the best peer is ahead, and when that is too far', async (t) => {
  const services = await ServicesFixture.create();
  t.after(() => services.close());
  const { chain } = services;
  await chain.runTo(5);
  const clock = new ManualClock(chain.headTimeMillis + 1_000);
  const relay = { ...NO_PEERS, peers: { inbound: 3, outbound: 4 }, best: null as number | null };
  const updates = { ...NO_UPDATES };
  const report = new SelfReport({
    ...services,
    chain,
    relay: {
      ...relay,
      get bestPeerHeight() {
        return relay.best;
      },
    },
    version: services.version,
    isAlone: false,
    clock,
    updates: () => updates,
    validator: () => undefined,
  });
  const synced = (best: number | null): unknown[] => {
    relay.best = best;
    const document = report.sync();
    return [document.synced, document.best_peer_height, document.behind_by];
  };
  relay.best = 17;
  assert.deepEqual(report.sync(), {
    api_version: 1,
    synced: false,
    finalized_height: 5,
    best_peer_height: 17,
    behind_by: 12,
    peers: 7,
  });
  assert.deepEqual(report.facts().behindBy, 12);
  assert.deepEqual(synced(null), [true, null, 0]);
  assert.deepEqual(synced(4), [true, 4, 0], 'a peer that is behind');
  assert.deepEqual(synced(7), [true, 7, 2], 'two cuts are on their way');
  assert.deepEqual(synced(8), [false, 8, 3]);
  assert.equal(report.status().synced, false);
  clock.advance(12 * PACE_MILLIS - 1_000);
  assert.deepEqual(synced(5), [false, 5, 0], 'no cut for twelve paces');
});

test('[SYNC-01] [HTTP-23] the status has both update flags, and a node of old rules is not synced', async (t) => {
  const services = await ServicesFixture.create();
  t.after(() => services.close());
  let updates = NO_UPDATES;
  const report = new SelfReport({
    ...services,
    relay: { ...NO_PEERS, peers: { inbound: 1, outbound: 2 } },
    isAlone: true,
    updates: () => updates,
    validator: () => undefined,
  });
  const flags = (): unknown[] => {
    const { update_required, update_announced, synced, peers } = report.status();
    return [update_required, update_announced, synced, peers.inbound, peers.outbound];
  };
  assert.deepEqual(flags(), [false, false, true, 1, 2]);
  updates = { required: false, announced: true };
  assert.deepEqual(flags(), [false, true, true, 1, 2]);
  updates = { required: true, announced: false };
  assert.deepEqual(flags(), [true, false, false, 1, 2]);
});
