import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { Network } from '../src/network.ts';
import { SYNC } from '../src/sync/sync-bytes.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { impostor, type RawPeer } from './testing/raw-peer.ts';
import { ChainScript, payment } from './testing/script.ts';
import { joinSilentLiar } from './testing/silent-liar.ts';

await init();

const LENGTH = 48;
const script = new ChainScript({ seed: 'liars' }).grow(LENGTH);
/** As many checks as a validator makes before it signs, see `start-watch.ts` of the validator. */
const CALM_LOOKS = 10;
const LOOK_MILLIS = 100;

/** Waits until the node has counted as synced in so many checks in a row. */
async function untilCalm(network: Network): Promise<void> {
  let calm = 0;
  let lookedAt = 0;
  await until(() => {
    if (performance.now() < lookedAt + LOOK_MILLIS) return false;
    lookedAt = performance.now();
    calm = network.sync.isSynced ? calm + 1 : 0;
    return calm >= CALM_LOOKS;
  }, 'a calm second');
}

test('eight peers that claim a height and never prove it do not keep a validator waiting', async (t) => {
  const application = new MemoryApplication(script).adopt();
  const network = await startNetwork(t, application, { syncTiming: { silenceMillisMax: 1_000 } });
  const doubting = until(() => !network.sync.isSynced, 'a claim to count for its time');
  // One after another: eight connections at once may not all be encrypted in time on a busy machine.
  const liars: RawPeer[] = [];
  while (liars.length < 8) liars.push(await joinSilentLiar(t, network, application));
  await doubting;
  await untilCalm(network);
  assert.equal(network.sync.bestPeerHeight, LENGTH);
  await until(
    () => liars.every(({ id }) => network.peers.get(id) === undefined),
    'all that never proved anything have lost their places',
  );
});

test('liars that keep coming back under new names cannot hold the node up without end', async (t) => {
  const application = new MemoryApplication(script).adopt();
  const network = await startNetwork(t, application, { syncTiming: { doubtMillisMax: 2_000 } });
  const storm = { isOver: false };
  const storming = (async () => {
    while (!storm.isOver) {
      const liar = await joinSilentLiar(t, network, application);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await liar.host.stop();
    }
  })();
  try {
    await untilCalm(network);
  } finally {
    storm.isOver = true;
    await storming;
  }
});

test('a node amid eight silent peers syncs from the one that answers', async (t) => {
  const newcomer = new MemoryApplication(script);
  const network = await startNetwork(t, newcomer);
  const whole = new MemoryApplication(script).adopt();
  for (let i = 0; i < 8; i++) await joinSilentLiar(t, network, whole);
  await startNetwork(t, whole, { bootstrap: [network.addresses[0] as string] });
  await until(() => newcomer.tip.height === LENGTH, 'sync');
});

test('bodies that do not come are asked of another peer, however patient the node is', async (t) => {
  const newcomer = new MemoryApplication(script);
  const network = await startNetwork(t, newcomer, {
    syncTiming: { silenceMillisMax: 3_600_000, impatienceMillis: 300 },
  });
  const whole = new MemoryApplication(script).adopt();
  let silentCount = 0;
  for (let i = 0; i < 2; i++) {
    let isSilent = false;
    await impostor(t, network, whole, (kind, payload) => {
      if (kind === SYNC.body && !isSilent) silentCount++;
      isSilent ||= kind === SYNC.body;
      return isSilent ? undefined : payload;
    });
  }
  await until(() => silentCount === 2, 'two peers that keep bodies back');
  await startNetwork(t, whole, { bootstrap: [network.addresses[0] as string] });
  await until(() => newcomer.tip.height === LENGTH, 'sync from the third peer');
});

test('a claim that no peer proves does not keep a node that has caught up from asking what is pending', async (t) => {
  const hour = 3_600_000;
  const chain = new ChainScript({ seed: 'unheard' }).grow(9);
  const whole = new MemoryApplication(chain).adopt();
  const server = await startNetwork(t, whole, { repeatMillis: hour });
  const newcomer = new MemoryApplication(chain);
  const gate = Promise.withResolvers<void>();
  const install = newcomer.install.bind(newcomer);
  newcomer.install = (cut) => gate.promise.then(() => install(cut));
  const network = await startNetwork(t, newcomer, {
    bootstrap: [server.addresses[0] as string],
    syncTiming: { silenceMillisMax: hour, answerMillisMax: hour, doubtMillisMax: hour },
  });
  await joinSilentLiar(t, network, whole);
  await until(() => !network.sync.isFollowing, 'the headers to be proven');
  const unheard = payment(chain.manifest, 'unheard');
  await whole.submitTransaction(unheard.wire);
  chain.append();
  whole.adopt();
  const claimed = (): number | undefined => network.peers.get(server.peerId)?.claimedHeight;
  await until(() => claimed() === 10, 'what was announced with the next cut');
  gate.resolve();
  await until(() => newcomer.pool.has(unheard.id), 'the payment');
  assert.equal(network.sync.isSynced, false, 'the claim still counts');
});

test('a node that was behind for less than a second has caught up too', async (t) => {
  const server = await startNetwork(t, new MemoryApplication(script).adopt());
  const bootstrap = [server.addresses[0] as string];
  let isCaughtUp = false;
  await startNetwork(t, new MemoryApplication(script), { bootstrap }, ({ sync }) => {
    sync.caughtUp.on(() => {
      isCaughtUp = true;
    });
  });
  await until(() => isCaughtUp, 'the signal');
});
