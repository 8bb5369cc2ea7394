import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Peer } from '../peers/peer.ts';
import type { Serving } from '../peers/serving.ts';
import type { FrameChannel } from '../wire/frame-channel.ts';
import type { PeerFault } from '../wire/peer-fault.ts';
import { RelayLink } from './relay-link.ts';
import { Standings } from './standing.ts';

interface Linked {
  readonly link: RelayLink;
  readonly faults: PeerFault[];
}

function linkOf(standings: Standings, id: string, host: string): Linked {
  const faults: PeerFault[] = [];
  const address = { host, port: 1 };
  const reject = (fault: PeerFault): void => void faults.push(fault);
  const peer = { id, address, reject } as unknown as Peer;
  const channel = {} as unknown as FrameChannel;
  const serving = {} as unknown as Serving;
  return { link: new RelayLink(peer, channel, standings.of(peer), serving), faults };
}

test('what was kept back stays with the range under another name, and is made up for by delivering', () => {
  const standings = new Standings();
  const fresh = linkOf(standings, 'fresh', '8.8.8.8').link.unreliability;
  const { link } = linkOf(standings, 'a', '9.9.9.9');
  for (let time = 0; time < 8; time++) link.undelivered(true);
  const back = linkOf(standings, 'b', '9.9.9.8').link;
  assert.equal(back.unreliability, fresh + 8);
  for (let time = 0; time < 3; time++) back.delivered();
  assert.equal(back.unreliability, 0);
});

test('who has delivered stands before who has not', () => {
  const standings = new Standings();
  const { link: proven } = linkOf(standings, 'a', '9.9.9.9');
  proven.delivered();
  proven.undelivered(false);
  assert.ok(proven.unreliability < linkOf(standings, 'b', '8.8.8.8').link.unreliability);
});

test('silence is paid for by who was silent, and not by a neighbour that comes later', () => {
  const standings = new Standings();
  const liar = linkOf(standings, 'liar', '9.9.9.9');
  for (let time = 0; time < 1_000; time++) liar.link.undelivered(true);
  assert.ok(liar.faults.length > 1);
  const neighbour = linkOf(standings, 'neighbour', '9.9.9.8');
  for (let time = 0; time < 100; time++) neighbour.link.undelivered(false);
  assert.deepEqual(neighbour.faults, []);
});

test('being slower than others costs the turn and no score', () => {
  const standings = new Standings();
  const { link } = linkOf(standings, 'a', '9.9.9.9');
  link.delivered();
  for (let time = 0; time < 1_000; time++) link.overtaken();
  assert.equal(link.unreliability, 128);
  const back = linkOf(standings, 'b', '9.9.9.9');
  for (let time = 0; time < 100; time++) back.link.undelivered(true);
  assert.deepEqual(back.faults, []);
});
