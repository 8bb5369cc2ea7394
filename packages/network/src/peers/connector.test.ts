import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeyPair } from '@libp2p/crypto/keys';
import type { Connection } from '@libp2p/interface';
import { peerIdFromPrivateKey } from '@libp2p/peer-id';
import { multiaddr } from '@multiformats/multiaddr';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import type { Hello } from '../handshake/hello-bytes.ts';
import { Gater } from '../host/gater.ts';
import { HOST_DEFAULTS } from '../host/options.ts';
import { BAN_MILLIS, Bans } from './bans.ts';
import { Connector, type ConnectorOptions } from './connector.ts';
import { Peer } from './peer.ts';
import { PEER_BOOK_OPTIONS, PeerBook } from './peer-book.ts';
import { Peers } from './peers.ts';

const ADDRESSES = [1, 2, 3].map((last) => multiaddr(`/ip4/127.0.0.${last}/tcp/1`));

/** A connector whose dials end only when they are aborted. */
function dialling(
  clock: ManualClock,
  options: Partial<Pick<ConnectorOptions, 'outboundTarget' | 'isTipStale' | 'bootstrap'>> = {},
) {
  const log = SILENT_LOG;
  const bans = new Bans(clock);
  const book = new PeerBook({ ...PEER_BOOK_OPTIONS, allowPrivateAddresses: true }, () =>
    clock.now(),
  );
  const peers = new Peers({
    ownId: 'own',
    clock,
    log,
    book,
    bans,
    banMillis: BAN_MILLIS,
    inboundMax: 1,
  });
  const counts = { begun: 0, givenUp: 0 };
  const dial = (_: unknown, { signal }: { signal: AbortSignal }): Promise<never> => {
    counts.begun++;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        counts.givenUp++;
        reject(signal.reason);
      });
    });
  };
  const connector = new Connector({
    host: { peerId: 'own', dial } as unknown as ConnectorOptions['host'],
    exchange: {} as ConnectorOptions['exchange'],
    gater: new Gater({ ...HOST_DEFAULTS, allowPrivateAddresses: true }, bans),
    peers,
    book,
    bans,
    bootstrap: ADDRESSES,
    outboundTarget: 3,
    isTipStale: () => false,
    ...options,
    clock,
    log,
  });
  connector.start();
  return { connector, counts, book, peers };
}

test('a node without a processor gives up no dial, and one that runs gives each up and dials again', async () => {
  const clock = new ManualClock();
  const { connector, counts } = dialling(clock);
  assert.deepEqual(counts, { begun: 3, givenUp: 0 });
  for (let turn = 0; turn < 60; turn++) {
    clock.stall(10_000);
    clock.advance(0);
  }
  assert.deepEqual(counts, { begun: 3, givenUp: 0 }, 'ten minutes of a starved process');
  clock.advance(10_000);
  assert.equal(counts.givenUp, 3);
  await new Promise(setImmediate);
  clock.advance(10_000);
  assert.equal(counts.begun, 6);
  connector.close();
});

test('a tip that stands still makes the node look for two peers more', () => {
  const clock = new ManualClock();
  let isStale = false;
  const { connector, counts } = dialling(clock, { outboundTarget: 1, isTipStale: () => isStale });
  clock.advance(4_000);
  assert.equal(counts.begun, 1);
  isStale = true;
  clock.advance(1_000);
  assert.equal(counts.begun, 3);
  connector.close();
});

test('every two minutes a feeler dials a peer that was only reported, and disconnects again', async () => {
  const clock = new ManualClock();
  const { connector, counts, book, peers } = dialling(clock, { outboundTarget: 0 });
  const ids = await Promise.all(
    [1, 2].map(async () => peerIdFromPrivateKey(await generateKeyPair('Ed25519')).toString()),
  );
  const [proven, heard] = ids as [string, string];
  book.seen(proven, { host: '127.0.0.8', port: 1 }, true);
  book.hear(heard, { host: '127.0.0.9', port: 1 });
  clock.advance(119_000);
  assert.equal(counts.begun, 0);
  clock.advance(2_000);
  assert.equal(counts.begun, 1);
  let isClosed = false;
  const connection = Object.assign(new EventTarget(), {
    remotePeer: heard,
    direction: 'outbound',
    status: 'open',
    close: async () => {
      isClosed = true;
    },
  }) as unknown as Connection;
  const hello = { tip: { height: 0 } } as unknown as Hello;
  const joined = { atMillis: clock.monotonic(), score: 0 };
  peers.admit(new Peer(connection, hello, undefined, joined, { onFault: () => undefined }));
  assert.ok(isClosed, 'it was only to see whether it is there');
  connector.close();
});

test('a machine that is offline for six hours forgets none of its peers', async () => {
  const clock = new ManualClock();
  const { connector, counts, book } = dialling(clock, { bootstrap: [] });
  const ids = await Promise.all(
    Array.from({ length: 6 }, async () =>
      peerIdFromPrivateKey(await generateKeyPair('Ed25519')).toString(),
    ),
  );
  for (const [at, id] of ids.entries()) {
    const address = { host: `127.0.0.${8 + at}`, port: 1 };
    if (at < 3) book.seen(id, address, true);
    else book.hear(id, address);
  }
  for (let turn = 0; turn < 6 * 360; turn++) {
    clock.advance(10_000);
    await new Promise(setImmediate);
  }
  assert.ok(counts.givenUp > 100, `${counts.givenUp} dials`);
  assert.equal(book.size, 6);
  connector.close();
});
