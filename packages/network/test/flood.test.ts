import assert from 'node:assert/strict';
import { test } from 'node:test';
import { multiaddr } from '@multiformats/multiaddr';
import { connectionEnd, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { RELAY_PROTOCOL } from '../src/relay/relay.ts';
import { encodeAnnouncement, encodeIds, RELAY } from '../src/relay/relay-bytes.ts';
import { flood, randomIds } from './testing/flooding.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer, type RawStream } from './testing/raw-peer.ts';
import { rawTls } from './testing/raw-tls.ts';
import { ChainScript, payment } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'flood' });
const COUNT = 60;

test('a flood of ids of nothing keeps neither payments nor blocks nor explicit fetches out', async (t) => {
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application);
  const flooder = await RawPeer.create(t);
  await flooder.join(network, application);
  const flooderPeer = network.peers.get(flooder.id);
  const stream = await flooder.open(RELAY_PROTOCOL);
  flood(t, stream);
  await until(
    () => stream.frames.some(({ kind }) => kind === RELAY.getTransactions),
    'the node asks for nothing',
  );
  const honest = new MemoryApplication(script);
  const payments = Array.from({ length: COUNT }, (_, at) => payment(script.manifest, `p ${at}`));
  const blocks = payments.map((one, at) => script.block(`b ${at}`, [one]));
  const unannounced = script.block('unannounced', payments.slice(0, 2));
  honest.blocks.set(unannounced.id, unannounced);
  const { peerId } = await startNetwork(t, honest, {
    bootstrap: [network.addresses[0] as string],
  });
  await until(() => network.peers.get(peerId) !== undefined, 'the honest peer');
  for (const { wire } of payments) await honest.submitTransaction(wire);
  for (const block of blocks) honest.addBlock(block);
  const arrived = (): number => blocks.filter(({ id }) => application.hasBlock(id)).length;
  await until(() => application.pool.size === COUNT, 'payments');
  await until(() => arrived() === COUNT, 'blocks');
  const fetched = await network.relay.fetchBlocks([unannounced.id], 60_000);
  assert.deepEqual(
    fetched.map(({ id }) => id),
    [unannounced.id],
  );
  await until(() => (flooderPeer?.score ?? 0) < 0, 'the flood costs score');
});

test('silent peers that announce a block first do not keep it from coming', async (t) => {
  const application = new MemoryApplication(script);
  // No request ever times out: only asking further peers helps.
  const network = await startNetwork(t, application, { answerMillisMax: 86_400_000 });
  const block = script.block('wanted', [payment(script.manifest, 'wanted')]);
  const announcement = encodeAnnouncement({ transactions: [], blocks: [block.id] });
  for (let liar = 0; liar < 9; liar++) {
    const raw = await RawPeer.create(t);
    await raw.join(network, application);
    const stream = await raw.open(RELAY_PROTOCOL);
    stream.send(RELAY.announce, announcement);
    if (liar === 0)
      await until(
        () => stream.frames.some(({ kind }) => kind === RELAY.getBlocks),
        'the first to be asked',
      );
  }
  const honest = new MemoryApplication(script);
  await startNetwork(t, honest, { bootstrap: [network.addresses[0] as string] });
  await until(() => network.peers.size === 10, 'the honest peer');
  honest.addBlock(block);
  await until(() => application.hasBlock(block.id), 'the block');
});

test('peers that come and go have no more wanted of them than their quotas, though another announces the same', async (t) => {
  const QUOTA = 512;
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application, { answerMillisMax: 86_400_000 });
  const join = async (): Promise<[RawPeer, RawStream]> => {
    const raw = await RawPeer.create(t);
    await raw.join(network, application);
    return [raw, await raw.open(RELAY_PROTOCOL)];
  };
  const announce = async (stream: RawStream, blocks: readonly string[]): Promise<void> => {
    for (let at = 0; at < blocks.length; at += 64)
      stream.send(
        RELAY.announce,
        encodeAnnouncement({ transactions: [], blocks: blocks.slice(at, at + 64) }),
      );
    // The answer shows that what came before it was heard.
    const answers = (): number =>
      stream.frames.filter(({ kind }) => kind === RELAY.absentBlocks).length;
    const before = answers();
    stream.send(RELAY.getBlocks, encodeIds(randomIds(1)));
    await until(() => answers() > before, 'an answer');
  };
  const [, companion] = await join();
  for (let visit = 0; visit < 4; visit++) {
    const [visitor, stream] = await join();
    const blocks = randomIds(QUOTA);
    await announce(stream, blocks);
    await announce(companion, blocks);
    assert.ok(network.relay.queuedBlocks <= 2 * QUOTA, `${network.relay.queuedBlocks} wanted`);
    await visitor.connection.close();
    await until(() => network.peers.size === 1, 'the visitor to leave');
    assert.ok(network.relay.queuedBlocks <= QUOTA, `${network.relay.queuedBlocks} of one peer`);
  }
});

test('a connection that floods the muxer without a hello ends in a ban', async (t) => {
  const network = await startNetwork(t, new MemoryApplication(script));
  const getMultiaddrs = () => network.addresses.map((address) => multiaddr(address));
  const { id, socket, secured } = await rawTls(t, { getMultiaddrs });
  const end = connectionEnd(socket);
  secured.resume();
  const pings = Buffer.alloc(12 * 1_000);
  for (let at = 0; at < pings.length; at += 12) pings.set([0, 2, 0, 1], at);
  secured.write(pings);
  await end;
  assert.deepEqual(
    network.bans.list().map(({ subject }) => subject),
    [id],
  );
});
