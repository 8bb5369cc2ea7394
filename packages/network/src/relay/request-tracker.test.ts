import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Peer } from '../peers/peer.ts';
import { RequestTracker } from './request-tracker.ts';

const TIMEOUT_MILLIS = 5_000;
const LOOK_MILLIS = 250;

function peerOf(id: string, host: string): Peer {
  return { id, address: { host, port: 1 } } as unknown as Peer;
}

/** A wanted entry, announced by peers of which only honest ones answer. */
class Search {
  readonly asked: string[] = [];
  readonly undelivered: string[] = [];
  readonly overtaken: string[] = [];
  readonly unreliability = new Map<Peer, number>();
  readonly wanted: RequestTracker;
  nowMillis = 0;
  foundAtMillis: number | undefined;

  constructor(isHonest: (peer: Peer) => boolean) {
    this.wanted = new RequestTracker({
      announcedPerPeerMax: 512,
      perPeerMax: 32,
      perRequestMax: 16,
      timeoutMillis: TIMEOUT_MILLIS,
      now: () => this.nowMillis,
      ask: (peer) => {
        this.asked.push(peer.id);
        if (!isHonest(peer)) return;
        this.foundAtMillis = this.nowMillis;
        this.wanted.settle('block', peer);
      },
      unreliability: (peer) => this.unreliability.get(peer) ?? 0,
      onUndelivered: ({ id }) => void this.undelivered.push(id),
      onOvertaken: ({ id }) => void this.overtaken.push(id),
    });
  }

  announce(peers: readonly Peer[]): void {
    for (const peer of peers) {
      this.wanted.add('block', peer);
      this.wanted.pump();
    }
  }

  /** Runs until the entry was found or no peer is left. */
  run(): void {
    while (this.wanted.size > 0) {
      this.nowMillis += LOOK_MILLIS;
      this.wanted.expire();
      this.wanted.pump();
    }
  }
}

/** Silent peers of so many ranges, three of each. */
function liars(ranges: number): Peer[] {
  return Array.from({ length: 3 * ranges }, (_, at) =>
    peerOf(`liar ${at}`, `8.8.${at % ranges}.${1 + at}`),
  );
}

test('nine silent peers of three ranges that announce first do not hold up an honest one for a waiting time', () => {
  const honest = peerOf('honest', '9.9.9.9');
  const search = new Search((peer) => peer === honest);
  search.announce([...liars(3), honest]);
  search.run();
  assert.ok(
    search.foundAtMillis !== undefined && search.foundAtMillis < TIMEOUT_MILLIS,
    `found after ${search.foundAtMillis} ms, asked ${search.asked.join(', ')}`,
  );
  assert.ok(search.asked.indexOf('honest') <= 3, 'each range was asked once before');
});

test('no number of silent peers turns an honest one away', () => {
  const honest = peerOf('honest', '9.9.9.9');
  const search = new Search((peer) => peer === honest);
  search.announce([...liars(20), honest]);
  search.run();
  assert.equal(search.asked.at(-1), 'honest');
});

test('of the peers not asked yet, one that delivered before is asked first, in whatever order they announced', () => {
  const honest = peerOf('honest', '9.9.9.9');
  const search = new Search((peer) => peer === honest);
  const others = liars(3);
  for (const peer of others) search.unreliability.set(peer, 4);
  search.announce([...others, honest]);
  search.run();
  assert.deepEqual(search.asked, ['liar 0', 'honest']);
  // What it was asked for came from elsewhere before its time was over: it may be slow, and is asked later than others.
  assert.deepEqual([search.undelivered, search.overtaken], [[], ['liar 0']]);
});

test('silence is counted once for each peer, and what no peer sends is abandoned', () => {
  const search = new Search(() => false);
  const silent = liars(2);
  search.announce(silent);
  search.run();
  assert.deepEqual(search.undelivered.toSorted(), silent.map(({ id }) => id).toSorted());
  assert.equal(search.wanted.size, 0);
});

test('while an answer is being checked or received, no other peer is asked', () => {
  const first = peerOf('first', '9.9.9.9');
  const search = new Search(() => false);
  const look = (): void => {
    search.nowMillis += LOOK_MILLIS;
    search.wanted.expire();
    search.wanted.pump();
  };
  search.announce([first, ...liars(1)]);
  for (let part = 0; part < 50; part++) {
    search.wanted.extend('block', first);
    look();
    look();
  }
  assert.deepEqual(search.asked, ['first']);
  search.wanted.arrived('block', first);
  for (let looks = 0; looks < 50; looks++) look();
  assert.deepEqual(search.asked, ['first']);
  search.wanted.absent('block', first);
  look();
  assert.deepEqual(search.asked, ['first', 'liar 0']);
  assert.deepEqual(search.undelivered, []);
});

/** A quota of ten, and peers that are asked in vain. */
function small(onGivenUp?: (id: string) => void): RequestTracker {
  return new RequestTracker({
    ...{ announcedPerPeerMax: 10, perPeerMax: 4, perRequestMax: 4, timeoutMillis: TIMEOUT_MILLIS },
    ...{ now: () => 0, ask: () => undefined },
    ...(onGivenUp === undefined ? {} : { onGivenUp }),
  });
}

test('what many peers announce together takes the quota of one of them', () => {
  const peers = Array.from({ length: 20 }, (_, at) => peerOf(`peer ${at}`, `9.9.${at}.1`));
  const wanted = small();
  const announce = (ids: number, from: readonly Peer[]): void => {
    for (const peer of from) for (let id = 0; id < ids; id++) wanted.add(`id ${id}`, peer);
  };
  announce(200, peers);
  assert.equal(wanted.size, 200, 'each of the twenty was the first with ten');
  announce(400, peers.slice(0, 19));
  assert.equal(wanted.size, 200, 'no peer has room for more');
  for (let id = 0; id < 200; id++) wanted.settle(`id ${id}`);
  announce(400, peers.slice(0, 1));
  assert.equal(wanted.size, 10, 'what is settled is out of the quotas');
});

test('a peer that reconnects has one quota, under other names and from other ranges too, though others keep what it announced', () => {
  const wanted = small();
  const companions = [peerOf('companion', '8.8.8.8'), peerOf('another', '8.8.4.4')];
  for (let visit = 0; visit < 20; visit++) {
    const visitor = peerOf(`visitor ${visit}`, visit < 10 ? '9.9.9.9' : `9.9.${visit}.9`);
    for (let id = 0; id < 20; id++)
      for (const peer of [visitor, ...companions]) wanted.add(`${visit} ${id}`, peer);
    assert.ok(wanted.size <= 30, `${wanted.size} things of three peers, visit ${visit}`);
    wanted.pump();
    wanted.peerLeft(visitor);
    assert.ok(wanted.size <= 20, `${wanted.size} things of two peers, visit ${visit}`);
  }
  const honest = peerOf('honest', '7.7.7.7');
  for (let id = 0; id < 10; id++) wanted.add(`honest ${id}`, honest);
  assert.equal(wanted.size, 30, 'the room of others is their own');
  for (const peer of companions) wanted.peerLeft(peer);
  assert.equal(wanted.size, 10);
  for (let id = 0; id < 10; id++) wanted.settle(`honest ${id}`);
  for (let id = 0; id < 20; id++) wanted.add(`after ${id}`, honest);
  assert.equal(wanted.size, 10, 'nothing settled or abandoned is in a quota');
});

test('what only a leaving peer announced is abandoned, and the rest is requested from the others', () => {
  const givenUp: string[] = [];
  const wanted = small((id) => givenUp.push(id));
  const [first, second] = [peerOf('first', '9.9.9.9'), peerOf('second', '8.8.8.8')];
  for (const id of ['shared', 'asked', 'asked too', 'and this']) wanted.add(id, first);
  wanted.pump();
  wanted.add('not asked', first);
  wanted.add('shared', second);
  wanted.peerLeft(first);
  assert.deepEqual([givenUp, wanted.size], [['asked', 'asked too', 'and this', 'not asked'], 1]);
  wanted.pump();
  assert.ok(wanted.isAskedOf('shared', second));
  for (let id = 0; id < 20; id++) wanted.add(`more ${id}`, second);
  assert.equal(wanted.size, 10, 'it is in the quota of the second now');
});

test('a peer that leaves because it has not delivered takes what only it had along', () => {
  let now = 0;
  const wanted: RequestTracker = new RequestTracker({
    ...{ announcedPerPeerMax: 10, perPeerMax: 4, perRequestMax: 4, timeoutMillis: TIMEOUT_MILLIS },
    ...{ now: () => now, ask: () => undefined, onUndelivered: (peer) => wanted.peerLeft(peer) },
  });
  const endings = {
    silent: () => {
      now += 2 * TIMEOUT_MILLIS;
      wanted.expire();
    },
    absent: (peer: Peer) => wanted.absent('absent', peer),
  };
  for (const [id, end] of Object.entries(endings)) {
    const peer = peerOf(id, '9.9.9.9');
    wanted.add(id, peer);
    wanted.pump();
    end(peer);
    wanted.pump();
    assert.equal(wanted.size, 0, id);
  }
});
