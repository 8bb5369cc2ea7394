import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import type { NetworkApplication } from '../application.ts';
import type { Peer } from '../peers/peer.ts';
import type { Peers } from '../peers/peers.ts';
import type { SyncPeer } from './sync-peer.ts';
import { SyncPeers } from './sync-peers.ts';

const CLAIMED = 1_000;

function sources(clock: Clock = new ManualClock()): SyncPeers {
  return new SyncPeers({
    application: {} as NetworkApplication,
    peers: {} as Peers,
    clock,
    log: SILENT_LOG,
    silenceMillisMax: 5_000,
    answerMillisMax: 5_000,
  });
}

function join(
  all: SyncPeers,
  id: string,
  direction: Peer['direction'] = 'inbound',
  host = '9.9.9.9',
): SyncPeer {
  const hello = { holdings: { mode: 'archive', headersFrom: 1, blocksFrom: 1 } };
  const peer = {
    ...{ id, direction, hello, address: { host, port: 1 } },
    ...{ claimedHeight: CLAIMED, disconnect: () => undefined },
  };
  all.joined(peer as unknown as Peer);
  return all.list().at(-1) ?? assert.fail('no peer joined');
}

/** A peer answers nothing so many times, and leaves. */
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

interface Choice {
  readonly name: string;
  /** What its answers have shown; undefined before the first. */
  readonly bytesPerSecond?: number;
  readonly underWay?: number;
  readonly hasFailed?: boolean;
  readonly hasDelivered?: boolean;
  readonly direction?: Peer['direction'];
}

const CHOICES: readonly [string, expected: string, readonly Choice[]][] = [
  [
    'a fast peer with a request under way before an idle slow one',
    'fast',
    [
      { name: 'slow', bytesPerSecond: 400_000 },
      { name: 'fast', bytesPerSecond: 1_000_000, underWay: 1 },
    ],
  ],
  [
    'an idle peer before one that is faster by less than its request under way takes',
    'idle',
    [
      { name: 'busy', bytesPerSecond: 1_000_000, underWay: 1 },
      { name: 'idle', bytesPerSecond: 600_000 },
    ],
  ],
  [
    'the one with less under way of two that are as fast',
    'idle',
    [
      { name: 'busy', bytesPerSecond: 1_000_000, underWay: 1 },
      { name: 'idle', bytesPerSecond: 1_000_000 },
    ],
  ],
  [
    'any peer with room before the fastest without',
    'slow',
    [
      { name: 'fast', bytesPerSecond: 10_000_000, underWay: 2 },
      { name: 'slow', bytesPerSecond: 1_000 },
    ],
  ],
  [
    'a slow peer that has shown its speed before one that has shown none',
    'slow',
    [{ name: 'unproven' }, { name: 'slow', bytesPerSecond: 20_000 }],
  ],
  [
    'a fast peer with a request under way before an idle one that has shown no speed',
    'fast',
    [{ name: 'unproven' }, { name: 'fast', bytesPerSecond: 1_000_000, underWay: 1 }],
  ],
  [
    'one that has shown no speed before one that was found to be of no use',
    'unproven',
    [{ name: 'useless', bytesPerSecond: 1_000 }, { name: 'unproven' }],
  ],
  [
    'an idle one before a busy one, if neither has shown a speed',
    'idle',
    [{ name: 'busy', underWay: 1, direction: 'outbound' }, { name: 'idle' }],
  ],
  [
    'one that has not failed before one that has, however fast',
    'unproven',
    [{ name: 'failed', bytesPerSecond: 10_000_000, hasFailed: true }, { name: 'unproven' }],
  ],
  [
    'one that has delivered, however slowly, before one that has shown nothing',
    'slow',
    [{ name: 'newcomer' }, { name: 'slow', bytesPerSecond: 1_000, hasDelivered: true }],
  ],
  [
    'one that has failed after it had delivered before one that has shown nothing',
    'failed',
    [{ name: 'newcomer' }, { name: 'failed', hasDelivered: true, hasFailed: true }],
  ],
  [
    'one that has not failed before one that has, if both have delivered',
    'slow',
    [
      { name: 'slow', bytesPerSecond: 1_000, hasDelivered: true },
      { name: 'failed', bytesPerSecond: 10_000_000, hasDelivered: true, hasFailed: true },
    ],
  ],
  [
    'the one that this node dialled of two that are alike',
    'dialled',
    [
      { name: 'caller', bytesPerSecond: 50_000 },
      { name: 'dialled', bytesPerSecond: 50_000, direction: 'outbound' },
    ],
  ],
];

for (const [description, expected, choices] of CHOICES)
  test(`sync asks ${description}`, async (t) => {
    for (const order of [choices, choices.toReversed()]) {
      const clock = new ManualClock();
      const all = sources(clock);
      const answers: (() => void)[] = [];
      t.after(() => {
        for (const answer of answers) answer();
      });
      for (const [at, choice] of order.entries()) {
        const { name, bytesPerSecond, underWay = 0, direction } = choice;
        const { hasDelivered = false, hasFailed = false } = choice;
        const source = join(all, name, direction, `9.9.${at}.9`);
        if (bytesPerSecond !== undefined)
          Object.defineProperty(source, 'bytesPerSecond', { value: bytesPerSecond });
        if (hasDelivered) all.delivered(source);
        if (hasFailed) await all.ask(source, async () => undefined);
        const answer = (): Promise<boolean> =>
          new Promise((resolve) => answers.push(() => resolve(true)));
        for (let request = 0; request < underWay; request++) void all.ask(source, answer);
      }
      clock.advance(2_000);
      assert.equal(all.pick(CLAIMED, true)?.peer.id, expected);
    }
  });
