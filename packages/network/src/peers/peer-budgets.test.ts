import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import type { Peer } from './peer.ts';
import { PeerBudgets } from './peer-budgets.ts';

const RATES = {
  bytes: { perSecond: 100, burst: 100 },
  messages: { perSecond: 100, burst: 100 },
};

function peerOf(id: string, host: string): Peer {
  return { id, address: { host, port: 1 } } as unknown as Peer;
}

test('a peer that comes back under another name goes on with the budget of its range', () => {
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

test('on private addresses every peer has a budget of its own', () => {
  const budgets = new PeerBudgets({ clock: new ManualClock(), uploadBytesPerSecond: 0 });
  budgets.requestsOf(peerOf('a', '10.0.0.1'), '/a', RATES).charge(0, 300);
  assert.equal(budgets.requestsOf(peerOf('b', '10.0.0.1'), '/a', RATES).waitMillis, 0);
  assert.ok(budgets.requestsOf(peerOf('a', '10.0.0.2'), '/a', RATES).waitMillis > 0);
});

test('answers wait for the range that they go to, under whatever name', async () => {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, uploadBytesPerSecond: 0 });
  const rate = { perSecond: 100, burst: 100 };
  await budgets.allow(peerOf('a', '9.9.9.9'), '/a', rate, 300);
  let isAllowed = false;
  const allowed = budgets.allow(peerOf('b', '9.9.9.8'), '/a', rate, 1).then(() => {
    isAllowed = true;
  });
  clock.advance(1_999);
  await new Promise(setImmediate);
  assert.equal(isAllowed, false);
  clock.advance(1);
  await allowed;
});
