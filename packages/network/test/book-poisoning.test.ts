import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { Network } from '../src/network.ts';
import { PEERS_PER_ANSWER_MAX } from '../src/peers/exchange-bytes.ts';
import { LOOPBACK, startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { createPoisoner, deadAddress, inventedId } from './testing/poisoning.ts';
import { ChainScript } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'poison' });

test('an answer of a thousand invented peers adds no more than one list, and the liar pays', async (t) => {
  const application = new MemoryApplication(script);
  const { peer: liar } = await createPoisoner(t, 40);
  const network = await startNetwork(t, new MemoryApplication(script));
  await liar.join(network, application);
  await network.askForPeers(liar.id);
  assert.ok(
    network.book.size <= PEERS_PER_ANSWER_MAX + 1,
    `${network.book.size} peers in the book after one answer`,
  );
  await until(() => (network.peers.get(liar.id)?.score ?? -1) < 0, 'the liar pays');
});

test('a book full of unreachable peers does not keep a node from its bootstrap addresses', async (t) => {
  const honest = await startNetwork(t, new MemoryApplication(script));
  const bootstrap = [honest.addresses[0] as string];
  const directory = temporaryDirectory();
  const network = await Network.create(
    { ...LOOPBACK, directory, bootstrap },
    new MemoryApplication(script),
  );
  t.after(() => network.close());
  // Each dial fails at once, and still all of them would take minutes.
  for (let i = 0; i < 1_000; i++)
    network.book.hear(inventedId(), deadAddress(), `source ${i % 100}`);
  await network.start();
  await until(() => network.peers.size === 1, 'the bootstrap peer');
  assert.ok(network.book.size > 500, `${network.book.size} invented peers are left to be tried`);
});
