import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from 'svc-base/testing';
import type { Peer } from './peer.ts';
import { PeerBudgets } from './peer-budgets.ts';
import { LOOKUP_BYTES } from './serving.ts';

const RATES = {
  bytes: { perSecond: 100, burst: 100 },
  messages: { perSecond: 100, burst: 100 },
};

function peerOf(id: string, host: string): Peer {
  return { id, address: { host, port: 1 } } as unknown as Peer;
}

test('a peer that comes back under another name continues with the budget of its range', () => {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 0 });
  const waitOf = (peer: Peer): number => budgets.requestsOf(peer, '/a', RATES).waitMillis;
  budgets.requestsOf(peerOf('a', '9.9.9.9'), '/a', RATES).charge(0, 300);
  assert.equal(waitOf(peerOf('b', '9.9.9.8')), 2_000);
  assert.equal(waitOf(peerOf('b', '9.9.8.9')), 0, 'another range');
  assert.equal(budgets.requestsOf(peerOf('a', '9.9.9.9'), '/b', RATES).waitMillis, 0);
  clock.advance(2_000);
  assert.equal(waitOf(peerOf('c', '9.9.9.7')), 0);
});

test('a wall clock that is set, ahead or back, pays no debts and makes none longer', () => {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 1_000 });
  const peer = peerOf('a', '9.9.9.9');
  budgets.requestsOf(peer, '/a', RATES).charge(0, 300);
  for (const jump of [3_600_000, 12_000, -7_200_000]) {
    clock.setWall(clock.now() + jump);
    assert.equal(budgets.requestsOf(peer, '/a', RATES).waitMillis, 2_000, `${jump} ms`);
  }
  clock.advance(2_000);
  assert.equal(budgets.requestsOf(peer, '/a', RATES).waitMillis, 0);
});

test('on private addresses every peer has a budget of its own', () => {
  const budgets = new PeerBudgets({ clock: new ManualClock(), uploadBytesPerSecond: 0 });
  budgets.requestsOf(peerOf('a', '10.0.0.1'), '/a', RATES).charge(0, 300);
  assert.equal(budgets.requestsOf(peerOf('b', '10.0.0.1'), '/a', RATES).waitMillis, 0);
  assert.ok(budgets.requestsOf(peerOf('a', '10.0.0.2'), '/a', RATES).waitMillis > 0);
});

const SERVICE = {
  protocol: '/a',
  rate: { perSecond: 10 * LOOKUP_BYTES, burst: 10 * LOOKUP_BYTES },
  urgency: 'patient',
} as const;
const LASTING = new AbortController().signal;

/** Whether a promise has settled; a value that was there at once has. */
function watched(promise: Promise<unknown> | undefined): { isDone: boolean; failure?: unknown } {
  const state: { isDone: boolean; failure?: unknown } = { isDone: promise === undefined };
  promise?.then(
    () => {
      state.isDone = true;
    },
    (failure: unknown) => Object.assign(state, { isDone: true, failure }),
  );
  return state;
}

async function advance(clock: ManualClock, millis: number): Promise<void> {
  clock.advance(millis);
  await turn();
}

test('nothing is read for a range in debt, under whatever name', async () => {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 0 });
  const first = budgets.serving(peerOf('a', '9.9.9.9'), SERVICE, LASTING);
  assert.equal(first.turn(), undefined);
  assert.equal(first.send(30 * LOOKUP_BYTES), undefined);
  const other = budgets.serving(peerOf('c', '9.9.8.9'), SERVICE, LASTING);
  assert.equal(other.turn(), undefined, 'another range');
  const second = watched(budgets.serving(peerOf('b', '9.9.9.8'), SERVICE, LASTING).turn());
  await advance(clock, 1_999);
  assert.equal(second.isDone, false);
  await advance(clock, 1);
  assert.equal(second.isDone, true);
});

test('what is looked up counts, whether it is there or not', () => {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 0 });
  const serving = budgets.serving(peerOf('a', '9.9.9.9'), SERVICE, LASTING);
  for (let time = 0; time < 10; time++) {
    assert.equal(serving.turn(), undefined);
    serving.charge(LOOKUP_BYTES);
  }
  assert.equal(serving.send(1), undefined, 'a small answer costs as much');
  assert.notEqual(serving.turn(), undefined);
});

test('a queued request whose stream ends is dropped and costs no upload', async () => {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 1_000 });
  const gone = new AbortController();
  const reason = new Error('gone');
  const serving = (id: string, signal: AbortSignal) =>
    budgets.serving(peerOf(id, '10.0.0.1'), SERVICE, signal);
  assert.equal(serving('a', LASTING).pass(2_000), undefined);
  const leaving = [1, 2, 3].map(() => watched(serving('b', gone.signal).pass(100_000)));
  const staying = watched(serving('c', LASTING).pass(500));
  gone.abort(reason);
  await turn();
  assert.deepEqual(
    leaving.map(({ failure }) => failure),
    [reason, reason, reason],
  );
  assert.throws(() => serving('b', gone.signal).turn(), reason);
  await advance(clock, 999);
  assert.equal(staying.isDone, false);
  await advance(clock, 1);
  assert.equal(staying.isDone, true);
  assert.equal(clock.pending, 0);
});

test('an origin with many requests has no more of the upload limit than one with a single one', async () => {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 1_000 });
  const serving = (id: string) => budgets.serving(peerOf(id, '10.0.0.1'), SERVICE, LASTING);
  const order: string[] = [];
  const ask = (id: string, bytes: number): void =>
    void serving(id)
      .pass(bytes)
      ?.then(() => order.push(id));
  ask('a', 1_001);
  for (let time = 0; time < 4; time++) ask('a', 1_000);
  for (let time = 0; time < 2; time++) ask('b', 500);
  for (let second = 0; second < 10; second++) await advance(clock, 1_000);
  assert.deepEqual(order, ['b', 'b', 'a', 'a', 'a', 'a']);
});

test('the relay does not wait for what sync was sent, and sync gets what the relay leaves', async () => {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 1_000 });
  const peer = peerOf('a', '10.0.0.1');
  const relay = budgets.serving(peer, { ...SERVICE, urgency: 'urgent' }, LASTING);
  const sync = budgets.serving(peer, SERVICE, LASTING);
  assert.equal(sync.pass(9_000), undefined);
  assert.equal(relay.pass(3_000), undefined);
  const later = { relay: watched(relay.pass(1)), sync: watched(sync.turn()) };
  await advance(clock, 2_000);
  assert.deepEqual([later.relay.isDone, later.sync.isDone], [true, false]);
  await advance(clock, 9_000);
  assert.equal(
    later.sync.isDone,
    false,
    '12,001 bytes at a thousand a second, of which a thousand were saved',
  );
  await advance(clock, 1);
  assert.equal(later.sync.isDone, true);
});

test('four requests of an origin are in work at a time; one that ends makes room, also while it waits', async () => {
  const budgets = new PeerBudgets({ clock: new ManualClock(), uploadBytesPerSecond: 0 });
  const gone = new AbortController();
  const works = [0, 1, 2, 3, 4, 5, 6].map((at) => {
    const [started, end] = [{ isDone: false }, Promise.withResolvers<void>()];
    const signal = at === 4 ? gone.signal : LASTING;
    const serving = budgets.serving(peerOf(`${at}`, '9.9.9.9'), SERVICE, signal);
    const done = watched(
      serving.work(() => {
        started.isDone = true;
        return end.promise;
      }),
    );
    return { started, end, done };
  });
  const started = (): number[] => works.flatMap((one, at) => (one.started.isDone ? [at] : []));
  await turn();
  assert.deepEqual(started(), [0, 1, 2, 3]);
  gone.abort(new Error('gone'));
  works[1]?.end.reject(new Error('failed'));
  await turn();
  assert.deepEqual(started(), [0, 1, 2, 3, 5]);
  assert.deepEqual(
    [String(works[1]?.done.failure), String(works[4]?.done.failure)],
    ['Error: failed', 'Error: gone'],
  );
  works[0]?.end.resolve();
  await turn();
  assert.deepEqual(started(), [0, 1, 2, 3, 5, 6]);
});
