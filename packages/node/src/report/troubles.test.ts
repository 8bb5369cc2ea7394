import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TROUBLES, type ValidatorStatusDocument } from 'svc-api';
import { ManualClock } from 'svc-base/testing';
import type { Chain, Relay } from 'svc-serve/ports';
import { NO_UPDATES, type ReportPorts, SelfReport, type Updates } from './self-report.ts';

const PACE_MILLIS = 2_500;
const HEIGHT = 100;

const FACTS = { signedWindows: 0, windows: 12, heartbeatEpoch: null, heartbeat: 'ok' } as const;
const VALIDATOR: ValidatorStatusDocument = {
  validator_id: 'cd'.repeat(48),
  state: 'active',
  committee: true,
  last_signed_height: HEIGHT,
};

const REMOVAL = { height: HEIGHT - 1, reason: 'equivocation', burned: '5' } as const;

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
  readonly peers?: Relay['peers'];
  readonly disk?: ReportPorts['disk'];
  /** What its validator says; null for a key that no validator holds. */
  readonly validator?: ValidatorStatusDocument | null;
  readonly isWaiting?: boolean;
  readonly isSignerAway?: boolean;
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
    peers: given.peers ?? { inbound: 3, outbound: 8 },
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
    validator: () => {
      const { validator: document } = given;
      return document === undefined ? undefined : { document, facts: FACTS };
    },
    isWaiting: () => given.isWaiting ?? false,
    isSignerAway: () => given.isSignerAway ?? false,
    ...(given.disk === undefined ? {} : { disk: given.disk }),
  };
  return { clock, report: new SelfReport(ports) };
}

/** Name and words of every trouble; that all of them refuse `/ready` is expected unless said otherwise. */
function told(report: SelfReport, refusesReady = true): string[] {
  return report.troubles().map(({ name, message, refuses_ready: refuses }) => {
    assert.equal(refuses, refusesReady, name);
    return `${name}: ${message}`;
  });
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
    const reasons = synced ? [] : [`lagging: behind its peers by ${behindBy} cuts`];
    assert.deepEqual(told(report), reasons);
  }
});

test('a node whose chain stands still is not ready, whatever its peers say; one without peers is', () => {
  const { clock, report } = sceneOf({ bestPeerHeight: HEIGHT });
  clock.advance(12 * PACE_MILLIS - 1);
  assert.deepEqual(told(report), []);
  clock.advance(1);
  assert.deepEqual(told(report), ['standing_still: no new cut for 30 s']);
  assert.equal(report.sync().synced, false);
  const alone = sceneOf({ isAlone: true });
  alone.clock.advance(1e6);
  assert.deepEqual(told(alone.report), []);
});

test('a clock that is far behind the newest cut is named, and does not hide that the chain is followed', () => {
  const little = sceneOf({ bestPeerHeight: HEIGHT, headAheadMillis: 10_000 });
  assert.deepEqual(told(little.report), []);
  const { report } = sceneOf({ bestPeerHeight: HEIGHT, headAheadMillis: 90_000 });
  assert.deepEqual(told(report), ['clock_behind: the clock here is 90 s behind the newest cut']);
  assert.equal(report.sync().synced, true);
});

test('every reason is told', () => {
  const { clock, report } = sceneOf({
    bestPeerHeight: HEIGHT + 9,
    updates: { required: true, announced: true },
  });
  clock.advance(90_000);
  assert.deepEqual(told(report), [
    'update_required: the network follows rules this release does not know',
    'lagging: behind its peers by 9 cuts',
    'standing_still: no new cut for 90 s',
  ]);
});

test('a node without peers is not ready, unless it is meant to be alone', () => {
  const nobody = { inbound: 0, outbound: 0 };
  const { report } = sceneOf({ peers: nobody });
  assert.deepEqual(told(report), [
    'no_peers: no other node is connected: check the network and peers.bootstrap',
  ]);
  assert.equal(report.sync().synced, true, 'it follows the chain as far as it knows');
  assert.deepEqual(told(sceneOf({ peers: nobody, isAlone: true }).report), []);
  assert.deepEqual(told(sceneOf({ peers: { inbound: 1, outbound: 0 } }).report), []);
});

test('a disk that is nearly full is a reason, one that cannot be read is none', () => {
  const MEBIBYTE = 2 ** 20;
  const freeBytesMin = 1_024 * MEBIBYTE;
  const reasonsWith = (freeBytes: number | undefined) =>
    told(sceneOf({ disk: { freeBytes, freeBytesMin }, isAlone: true }).report);
  assert.deepEqual(reasonsWith(freeBytesMin), []);
  assert.deepEqual(reasonsWith(freeBytesMin - 1), [
    'disk_low: 1023 MiB are free on the disk of the data directory, expected 1024',
  ]);
  assert.deepEqual(reasonsWith(undefined), []);
});

test('what a validator lacks is told and keeps nobody from being served', () => {
  const table: [Partial<ValidatorStatusDocument> | null, string[]][] = [
    [{}, []],
    [{ state: 'silent' }, []],
    [{ state: 'exited', committee: false }, []],
    [{ state: 'jailed', committee: false }, ['validator_jailed']],
    [{ state: 'lapsed', committee: false }, ['validator_lapsed']],
    [{ state: 'removed', committee: false, removal: REMOVAL }, ['validator_removed']],
    [{ state: 'stopped', last_signed_height: HEIGHT - 1 }, ['validator_stopped']],
    [{ state: 'closing', last_signed_height: HEIGHT - 1 }, []],
    [{ state: 'closing', committee: false }, []],
    [{ committee: false, last_signed_height: 1 }, ['validator_not_in_committee']],
    [{ state: 'registered', committee: false }, ['validator_not_in_committee']],
    [{ last_signed_height: HEIGHT - 20 }, []],
    [{ last_signed_height: HEIGHT - 21 }, ['validator_not_signing']],
    [{ last_signed_height: null, state: 'paused' }, ['validator_not_signing']],
    [{ last_signed_height: null, state: 'standby' }, []],
    [null, ['validator_unregistered']],
  ];
  for (const [lack, names] of table) {
    const { report } = sceneOf({ validator: lack === null ? null : { ...VALIDATOR, ...lack } });
    assert.deepEqual(
      told(report, false).map((line) => line.split(':')[0]),
      names,
      JSON.stringify(lack),
    );
    assert.equal(report.sync().synced, true);
  }
  const removed = { ...VALIDATOR, state: 'removed', removal: REMOVAL };
  assert.deepEqual(told(sceneOf({ validator: removed }).report, false), [
    'validator_removed: this validator was removed for equivocation at height 99: its bond is burned, and it never has a seat again',
  ]);
  const { report } = sceneOf({ isWaiting: true });
  assert.deepEqual(told(report, false), [
    'validator_unregistered: no validator holds the consensus key',
  ]);
  const away = sceneOf({ isSignerAway: true, validator: { ...VALIDATOR, state: 'signer_away' } });
  assert.deepEqual(told(away.report, false), [
    'validator_signer_away: the remote signer cannot be reached: nothing is signed',
  ]);
});

test('the status has the troubles in the order of their names', () => {
  const { clock, report } = sceneOf({
    bestPeerHeight: HEIGHT + 9,
    peers: { inbound: 0, outbound: 0 },
    disk: { freeBytes: 0, freeBytesMin: 1 },
    updates: { required: true, announced: true },
    validator: { ...VALIDATOR, state: 'jailed', last_signed_height: 1 },
  });
  clock.advance(90_000);
  const names = report.status().troubles.map(({ name }) => name);
  assert.deepEqual(
    names,
    TROUBLES.filter((name) => names.includes(name)),
  );
  assert.deepEqual(names, [
    'update_required',
    'lagging',
    'standing_still',
    'no_peers',
    'disk_low',
    'validator_jailed',
    'validator_not_signing',
  ]);
});
