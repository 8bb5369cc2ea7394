import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SOCKET_LIMITS } from 'svc-api';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import type { ApiSocket } from 'svc-client';
import { AddressBook } from '../keys/address-book.ts';
import { openState, type State } from '../state/open-state.ts';
import { Incoming } from './incoming.ts';

type Topic = Parameters<ApiSocket['subscribe']>[0];

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };

/** What a wallet subscribes to, and its state with so many addresses of each branch. */
function watching(t: TestContext, derived: number) {
  const state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
  t.after(() => state.close());
  derive(state, derived);
  const topics: Topic[] = [];
  const socket = {
    subscribe: (topic: Topic) => {
      topics.push(topic);
      return () => void topics.splice(topics.indexOf(topic), 1);
    },
    close: async () => {},
  };
  const incoming = new Incoming({
    client: { openSocket: () => socket, mempoolPending: () => assert.fail('nothing is read') },
    book: new AddressBook(state.addresses),
    state,
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    onEvents: () => {},
  });
  incoming.start();
  return { incoming, state, topics };
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
