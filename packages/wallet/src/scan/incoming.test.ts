import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SOCKET_LIMITS, type TopicEvent } from 'svc-api';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory, until } from 'svc-base/testing';
import type { ApiSocket } from 'svc-client';
import { AddressBook } from '../keys/address-book.ts';
import type { StoredEvent } from '../state/events.ts';
import { EventTeller } from '../state/group-commit.ts';
import { openState, type State } from '../state/open-state.ts';
import { Incoming } from './incoming.ts';

type Topic = Parameters<ApiSocket['subscribe']>[0];
type Listener = Parameters<ApiSocket['subscribe']>[1];

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

/** What a wallet subscribes to, and its state with so many addresses of each branch. */
function watching(t: TestContext, derived: number) {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  derive(state, derived);
  const topics: Topic[] = [];
  const listeners: Listener[] = [];
  const socket = {
    subscribe: (topic: Topic, listener: Listener) => {
      listeners.push(listener);
      topics.push(topic);
      return () => void topics.splice(topics.indexOf(topic), 1);
    },
    close: async () => {},
  };
  const told: StoredEvent[] = [];
  const teller = new EventTeller({ state, log: SILENT_LOG, tell: (event) => told.push(event) });
  const incoming = new Incoming({
    client: { openSocket: () => socket, mempoolPending: () => assert.fail('nothing is read') },
    book: new AddressBook(state.addresses),
    state,
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    events: teller,
  });
  incoming.start();
  return { incoming, listeners, state, teller, told, topics };
}

/** Derives addresses up to so many, under names that say what they are. */
function derive({ addresses, database }: State, count: number): void {
  database.transaction(() => {
    for (let position = addresses.derived(0); position < count; position++) {
      addresses.add(0, position, `receive-${position}`, true);
      addresses.add(1, position, `change-${position}`, true);
    }
  });
}

function give({ addresses, database }: State, count: number): void {
  database.transaction(() => {
    while (addresses.next(0) < count) addresses.issue(0, null, 0);
  });
}

function named(topics: readonly Topic[]): string[] {
  return topics.flatMap((topic) => (topic.topic === 'addresses' ? topic.addresses : []));
}

function receiving(count: number): string[] {
  return Array.from({ length: count }, (_, position) => `receive-${position}`);
}

test('addresses that were given out and the next ones are watched by name, however many are derived', (t) => {
  const { incoming, state, topics } = watching(t, 1_000);
  incoming.forgetDecided(1);
  assert.deepEqual(named(topics), receiving(64));
  give(state, 48);
  incoming.forgetDecided(2);
  assert.equal(topics.length, 1, '16 that come next are watched already');
  give(state, 49);
  incoming.forgetDecided(3);
  assert.equal(topics.length, 2);
  assert.deepEqual(named(topics), receiving(128));
});

test('addresses that are derived later are watched then', (t) => {
  const { incoming, state, topics } = watching(t, 20);
  incoming.forgetDecided(1);
  assert.deepEqual(named(topics), receiving(20));
  give(state, 20);
  derive(state, 40);
  incoming.forgetDecided(2);
  assert.deepEqual(named(topics), receiving(40));
});

test('a wallet that gave out more addresses than a connection may name hears of every waiting transaction, once', (t) => {
  const { incoming, state, topics } = watching(t, 1_000);
  give(state, SOCKET_LIMITS.node.watchedAddresses - 16);
  incoming.forgetDecided(1);
  assert.deepEqual(named(topics), receiving(SOCKET_LIMITS.node.watchedAddresses));
  give(state, SOCKET_LIMITS.node.watchedAddresses - 15);
  for (const height of [2, 3]) incoming.forgetDecided(height);
  assert.deepEqual(topics, [{ topic: 'mempool_transactions' }]);
});

test('so does one whose addresses would take more subscriptions than a connection may have', (t) => {
  const { incoming, state, topics } = watching(t, 16);
  for (let given = 0; given < SOCKET_LIMITS.node.subscriptions; given++) {
    give(state, given);
    derive(state, given + 16);
    incoming.forgetDecided(1 + given);
  }
  assert.equal(topics.length, SOCKET_LIMITS.node.subscriptions);
  assert.deepEqual(named(topics), receiving(SOCKET_LIMITS.node.subscriptions + 15));
  give(state, SOCKET_LIMITS.node.subscriptions);
  derive(state, 200);
  incoming.forgetDecided(100);
  assert.deepEqual(topics, [{ topic: 'mempool_transactions' }]);
});

/** Commits in the write-ahead log of a state: frames that tell how large the file is after them. */
function commitsIn({ path }: State): number {
  const log = readFileSync(`${path}-wal`);
  const pageBytes = log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + 24 + pageBytes <= log.length; at += 24 + pageBytes) {
    const isCurrent = log.subarray(at + 8, at + 16).equals(log.subarray(16, 24));
    if (isCurrent && log.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}

test('payments that are seen together share a commit with other work, and are told in order once they are on the disk', async (t) => {
  const { incoming, listeners, state, teller, told } = watching(t, 20);
  give(state, 1);
  incoming.forgetDecided(1);
  const before = commitsIn(state);
  const flush = t.mock.method(state.database, 'flush');
  state.database.lazily(() => state.meta.set('gap', '7'));
  for (let number = 0; number < 100; number++)
    listeners[0]?.onEvent({
      type: 'mempool_tx_seen',
      data: {
        transaction_id: String(number),
        received: [{ address: 'receive-0', amount: '1', output_index: 0 }],
        first_seen_millis: 1,
      },
    } as unknown as TopicEvent);
  const shown = (): number => state.events.after(0, 1_000).length;
  assert.deepEqual([told.length, shown(), state.events.last()], [0, 0, 0], 'not on the disk yet');
  await until(() => told.length === 100, 'they are told');
  assert.deepEqual([commitsIn(state) - before, flush.mock.callCount()], [1, 1]);
  const sequences = Array.from({ length: 100 }, (_, at) => at + 1);
  assert.deepEqual(
    told.map(({ sequence }) => sequence),
    sequences,
  );
  assert.deepEqual([shown(), state.events.last()], [100, 100]);
  listeners[0]?.onEvent({
    type: 'mempool_tx_removed',
    data: { transaction_id: '5', reason: 'expired' },
  } as unknown as TopicEvent);
  const cut = state.database.transaction(() => state.events.add('finalized', 2, {}));
  teller.tell([cut]);
  const last = told.slice(100).map(({ event, sequence }) => [event, sequence]);
  assert.deepEqual(
    last,
    [
      ['removed', 101],
      ['finalized', 102],
    ],
    'a commit brings both to the disk',
  );
  await teller.settled();
  assert.equal(told.length, 102);
});
