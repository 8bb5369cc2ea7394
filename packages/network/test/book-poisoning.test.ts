import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { publicKeyFromRaw } from '@libp2p/crypto/keys';
import { peerIdFromPublicKey } from '@libp2p/peer-id';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { Network } from '../src/network.ts';
import { EXCHANGE_PROTOCOL } from '../src/peers/exchange.ts';
import { encodePeers, PEERS_PER_ANSWER_MAX } from '../src/peers/exchange-bytes.ts';
import { LOOPBACK, startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer, RawStream } from './testing/raw-peer.ts';
import { ChainScript } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'poison' });

function inventedId(): string {
  return peerIdFromPublicKey(publicKeyFromRaw(new Uint8Array(randomBytes(32)))).toString();
}

function inventedPeers(): Uint8Array {
  return encodePeers(
    Array.from({ length: PEERS_PER_ANSWER_MAX }, () => {
      const [a, b, c] = randomBytes(3) as unknown as [number, number, number];
      return { id: inventedId(), address: { host: `${20 + (a % 60)}.${b}.${c}.1`, port: 28_700 } };
    }),
  );
}

test('an answer of a thousand invented peers adds no more than one list, and the liar pays', async (t) => {
  const application = new MemoryApplication(script);
  const liar = await RawPeer.create(t);
  await liar.host.handle(EXCHANGE_PROTOCOL, (stream) => {
    const answers = new RawStream(stream, () => {
      for (let i = 0; i < 40; i++) answers.send(2, inventedPeers());
      answers.send(0, new Uint8Array(0));
    });
  });
  const network = await startNetwork(t, new MemoryApplication(script));
  await liar.join(network, application);
  await network.askForPeers(liar.id);
  assert.ok(
    network.book.size <= PEERS_PER_ANSWER_MAX + 1,
    `${network.book.size} peers in the book after one answer`,
  );
  await until(() => (network.peers.get(liar.id)?.score ?? -1) < 0, 'the liar pays');
});

test('a book full of peers that nobody reaches does not keep a node from its bootstrap addresses', async (t) => {
  const honest = await startNetwork(t, new MemoryApplication(script));
  const bootstrap = [honest.addresses[0] as string];
  const directory = temporaryDirectory();
  const network = await Network.create(
    { ...LOOPBACK, directory, bootstrap },
    new MemoryApplication(script),
  );
  t.after(() => network.close());
  // Nobody listens at port 9, so that each is given up at once; all of them would take minutes.
  for (let i = 0; i < 1_000; i++)
    network.book.hear(inventedId(), { host: `127.8.${i % 250}.1`, port: 9 }, `source ${i % 100}`);
  await network.start();
  await until(() => network.peers.size === 1, 'the bootstrap peer');
  assert.ok(network.book.size > 500, `${network.book.size} invented peers are left to be tried`);
});
