import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import type { Chain } from '../ports/chain.ts';
import type { Relay } from '../ports/relay.ts';
import { NO_UPDATES, type ReportPorts, SelfReport, type Updates } from './self-report.ts';

const PACE_MILLIS = 2_500;
const HEIGHT = 100;

interface Scene {
  readonly clock: ManualClock;
  readonly report: SelfReport;
}

/** A node at height 100 whose last cut is of this moment. */
function sceneOf(given: {
  readonly bestPeerHeight?: number | null;
  readonly isAlone?: boolean;
  /** How far the time of the last cut is ahead of the clock here. */
  readonly headAheadMillis?: number;
  readonly updates?: Updates;
}): Scene {
  const clock = new ManualClock();
  const chain = {
    head: { height: HEIGHT },
    headTimeMillis: clock.now() + (given.headAheadMillis ?? 0),
    genesis: { network: 'mainnet', paceMillis: PACE_MILLIS },
    retention: { mode: 'full' },
    chainId: 'ab'.repeat(48),
  } as unknown as Chain;
  const relay = {
    bestPeerHeight: given.bestPeerHeight ?? null,
    peers: { inbound: 3, outbound: 8 },
  } as Relay;
  const ports: ReportPorts = {
    chain,
    relay,
    clock,
    mempool: { size: 0, bytes: 0 },
    blocks: { size: 0 },
    version: '0.1.0',
    isAlone: given.isAlone ?? false,
    updates: () => given.updates ?? NO_UPDATES,
    validator: () => undefined,
  };
  return { clock, report: new SelfReport(ports) };
}

test('a node is ready up to two cuts behind its best peer, and says by how many it is not', () => {
  const table: [number | null, number, boolean][] = [
    [null, 0, true],
    [HEIGHT - 50, 0, true],
    [HEIGHT, 0, true],
    [HEIGHT + 2, 2, true],
    [HEIGHT + 3, 3, false],
    [HEIGHT + 1_117, 1_117, false],
  ];
  for (const [bestPeerHeight, behindBy, synced] of table) {
    const { report } = sceneOf({ bestPeerHeight });
    const document = report.sync();
    assert.deepEqual(
      [document.synced, document.behind_by, document.best_peer_height, document.finalized_height],
      [synced, behindBy, bestPeerHeight, HEIGHT],
    );
    assert.equal(document.peers, 11);
    assert.equal(report.status().synced, synced);
    const reasons = synced ? [] : [`behind its peers by ${behindBy} cuts`];
    assert.deepEqual(report.reasonsNotReady(), reasons);
  }
});

test('a node whose chain stands still is not ready, whatever its peers say; one without peers is', () => {
  const { clock, report } = sceneOf({ bestPeerHeight: HEIGHT });
  clock.advance(12 * PACE_MILLIS - 1);
  assert.deepEqual(report.reasonsNotReady(), []);
  clock.advance(1);
  assert.deepEqual(report.reasonsNotReady(), ['no new cut for 30 s']);
  assert.equal(report.sync().synced, false);
  const alone = sceneOf({ isAlone: true });
  alone.clock.advance(1e6);
  assert.deepEqual(alone.report.reasonsNotReady(), []);
});

test('a clock that is far behind the newest cut is named, and does not hide that the chain is followed', () => {
  const little = sceneOf({ bestPeerHeight: HEIGHT, headAheadMillis: 10_000 });
  assert.deepEqual(little.report.reasonsNotReady(), []);
  const { report } = sceneOf({ bestPeerHeight: HEIGHT, headAheadMillis: 90_000 });
  assert.deepEqual(report.reasonsNotReady(), ['the clock here is 90 s behind the newest cut']);
  assert.equal(report.sync().synced, true);
});

test('every reason is told', () => {
  const { clock, report } = sceneOf({
    bestPeerHeight: HEIGHT + 9,
    updates: { required: true, announced: true },
  });
  clock.advance(90_000);
  assert.deepEqual(report.reasonsNotReady(), [
    'the network follows rules this release does not know',
    'behind its peers by 9 cuts',
    'no new cut for 90 s',
  ]);
});
