import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection } from '@libp2p/interface';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import type { Hello } from '../handshake/hello-bytes.ts';
import { PeerFault } from '../wire/peer-fault.ts';
import { Bans } from './bans.ts';
import { Peer } from './peer.ts';
import { PEER_BOOK_OPTIONS, PeerBook } from './peer-book.ts';
import { BAN_MILLIS, Peers } from './peers.ts';

const HOUR = 3_600_000;

class World {
  readonly clock = new ManualClock();
  readonly bans = new Bans(() => this.clock.now());
  readonly book = new PeerBook({ ...PEER_BOOK_OPTIONS, allowPrivateAddresses: false }, () =>
    this.clock.now(),
  );
  readonly peers = new Peers({
    ownId: 'own',
    clock: this.clock,
    log: SILENT_LOG,
    book: this.book,
    bans: this.bans,
    banMillis: BAN_MILLIS,
    inboundMax: 64,
  });

  /** A peer that has no port of its own, so that the book knows nothing of it. */
  join(id: string, host: string): { readonly peer: Peer; readonly leave: () => void } {
    const address = { host, port: 1 };
    const connection = Object.assign(new EventTarget(), {
      remotePeer: id,
      direction: 'inbound',
      status: 'open',
      close: async () => undefined,
    });
    const joined = {
      atMillis: this.clock.monotonic(),
      score: this.peers.scoreOf({ id, address }),
    };
    const hello = { tip: { height: 0 } } as unknown as Hello;
    const events = { onFault: this.peers.faulted.bind(this.peers) };
    const peer = new Peer(connection as unknown as Connection, hello, address, joined, events);
    this.peers.admit(peer);
    return { peer, leave: () => void connection.dispatchEvent(new Event('close')) };
  }
}

test('faults under one name after another end in a ban', () => {
  const world = new World();
  for (let name = 0; name < 2; name++) {
    const { peer, leave } = world.join(`name ${name}`, '9.9.9.9');
    peer.reject(new PeerFault('invalid', 'wrong'));
    leave();
  }
  assert.equal(world.bans.isHostBanned('9.9.9.9'), true);
});

test('a range keeps its lowest score, which fades, and another range has its own', () => {
  const world = new World();
  const companion = world.join('companion', '9.9.9.8');
  const { peer, leave } = world.join('a', '9.9.9.9');
  peer.reject(new PeerFault('invalid', 'wrong'));
  leave();
  companion.leave();
  assert.equal(world.join('b', '9.9.9.7').peer.score, -50);
  assert.equal(world.join('c', '9.9.8.7').peer.score, 0);
  world.clock.advance(HOUR);
  assert.equal(world.join('d', '9.9.9.6').peer.score, -25);
});

test('a peer that did well itself does not begin with what its neighbours lost', () => {
  const world = new World();
  world.book.seen('good', { host: '9.9.9.1', port: 5 }, true);
  world.book.setScore('good', 10);
  const { peer, leave } = world.join('a', '9.9.9.9');
  peer.reject(new PeerFault('invalid', 'wrong'));
  leave();
  assert.equal(world.join('good', '9.9.9.1').peer.score, 10);
});
