import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { concatBytes } from 'svc-wasm/base';
import { HOST_LIMITS } from '../src/host/options.ts';
import type { Network } from '../src/network.ts';
import { RELAY_PROTOCOL } from '../src/relay/relay.ts';
import { encodeAnnouncement, encodeTransaction, RELAY } from '../src/relay/relay-bytes.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { ChainScript, type Payment, payment } from './testing/script.ts';

await init();

/** Nodes in a row, each connected only to the one before and after it. */
async function startRow(
  t: Pick<TestContext, 'after'>,
  applications: readonly MemoryApplication[],
  options: { readonly repeatMillis: number },
): Promise<Network[]> {
  const row: Network[] = [];
  for (const [index, application] of applications.entries()) {
    const before = row[index - 1];
    const limits = { ...HOST_LIMITS, outboundTarget: before === undefined ? 0 : 1, inboundMax: 1 };
    const bootstrap = before === undefined ? [] : [before.addresses[0] as string];
    // Nothing is synced here: a test says when each node has which cut.
    const syncTiming = { followDelayMillis: 3_600_000, doubtMillisMax: 0 };
    row.push(
      await startNetwork(t, application, {
        ...options,
        bootstrap,
        syncTiming,
        limits: { ...limits, inboundPerSecond: 1_000 },
      }),
    );
  }
  await until(() => row.every(({ peers }) => peers.size > 0), 'a row');
  await until(
    () => row.slice(1, -1).every(({ peers }) => peers.size === 2),
    'neighbours on both sides',
  );
  return row;
}

function validFrom(application: MemoryApplication, { id }: Payment, height: number): void {
  application.verdicts.set(id, () => (application.tip.height >= height ? undefined : 'later'));
}

test('a payment that a lagging node refused reaches a miner behind it when the node has caught up', async (t) => {
  const chain = new ChainScript({ seed: 'lag' }).grow(3);
  const [sender, lagging, miner] = [3, 2, 3].map((height) =>
    new MemoryApplication(chain).adopt(height),
  ) as [MemoryApplication, MemoryApplication, MemoryApplication];
  await startRow(t, [sender, lagging, miner], { repeatMillis: 3_600_000 });
  const heartbeat = payment(chain.manifest, 'heartbeat');
  for (const application of [sender, lagging, miner]) validFrom(application, heartbeat, 3);
  assert.equal((await sender.submitTransaction(heartbeat.wire)).reception, 'accepted');
  await until(() => lagging.submissions.transactions === 1, 'the refusal');
  lagging.adopt(3);
  await until(() => miner.pool.has(heartbeat.id), 'the payment at the miner');
});

test('a payment that was lost on its way is announced again', async (t) => {
  const chain = new ChainScript({ seed: 'lost' }).grow(1);
  const [sender, forgetful, miner] = [0, 1, 2].map(() => new MemoryApplication(chain).adopt()) as [
    MemoryApplication,
    MemoryApplication,
    MemoryApplication,
  ];
  await startRow(t, [sender, forgetful, miner], { repeatMillis: 300 });
  const lost = payment(chain.manifest, 'lost');
  let refusals = 0;
  forgetful.verdicts.set(lost.id, () => (refusals++ === 0 ? 'ignore' : undefined));
  await sender.submitTransaction(lost.wire);
  await until(() => refusals > 0, 'the refusal');
  // Two cuts later the node remembers no more what it refused.
  for (let i = 0; i < 2; i++) {
    chain.append();
    for (const application of [sender, forgetful, miner]) application.adopt();
  }
  await until(() => miner.pool.has(lost.id), 'the payment at the miner');
});

test('every valid payment reaches the miner of a network whose nodes lag by one to three cuts', async (t) => {
  const chain = new ChainScript({ seed: 'lagging network' }).grow(12);
  const miner = new MemoryApplication(chain).adopt(3);
  const others = Array.from({ length: 4 }, () => new MemoryApplication(chain).adopt(3));
  const applications = [...others, miner];
  await startRow(t, applications, { repeatMillis: 1_000 });
  const payments: Payment[] = [];
  for (let height = 4; height <= 12; height++) {
    for (let i = 0; i < 3; i++) {
      const made = payment(chain.manifest, `${height} ${i}`);
      payments.push(made);
      for (const application of applications) validFrom(application, made, height);
    }
    // The first node is always ahead of those that its payments go through.
    for (const [index, application] of applications.entries())
      application.adopt(height - ((index * 7 + height) % 3) - Math.min(index, 1));
    applications[0]?.adopt(height);
    for (const { wire } of payments.slice(-3)) await applications[0]?.submitTransaction(wire);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  for (const application of applications) application.adopt(12);
  const missing = (): string[] => payments.filter(({ id }) => !miner.pool.has(id)).map((p) => p.id);
  await until(() => missing().length === 0, 'all payments at the miner');
});

test('a bad copy of a payment does not keep the good one out', async (t) => {
  const chain = new ChainScript({ seed: 'copy' }).grow(1);
  const application = new MemoryApplication(chain).adopt();
  const network = await startNetwork(t, application);
  const good = payment(chain.manifest, 'good');
  const bad = good.wire.slice();
  bad.fill(good.wire.at(-1) === 0 ? 1 : 0, bad.length - 1);
  const isBad = (wire: Uint8Array): boolean => wire.at(-1) === bad.at(-1);
  const submit = application.submitTransaction.bind(application);
  application.submitTransaction = async (wire) =>
    isBad(wire) ? { reception: 'reject' } : await submit(wire);
  const announcement = encodeAnnouncement({ transactions: [good.id], blocks: [] });
  for (const wire of [bad, good.wire]) {
    const raw = await RawPeer.create(t);
    await raw.join(network, application);
    const stream = await raw.open(RELAY_PROTOCOL, ({ kind }, self) => {
      if (kind === RELAY.getTransactions)
        self.send(RELAY.transaction, encodeTransaction(good.id, wire));
    });
    stream.send(RELAY.announce, announcement);
    if (wire === bad)
      await until(() => (network.peers.get(raw.id)?.score ?? 0) < 0, 'the bad copy is found out');
  }
  await until(() => application.pool.has(good.id), 'the good copy');
});

test('a block that cannot be judged yet, of a peer that has left meanwhile, is requested from no peer', async (t) => {
  const chain = new ChainScript({ seed: 'left' }).grow(2);
  const application = new MemoryApplication(chain).adopt(1);
  const gate = Promise.withResolvers<'later'>();
  let submissions = 0;
  application.submitBlock = () => {
    submissions++;
    return gate.promise;
  };
  const network = await startNetwork(t, application, { answerMillisMax: 3_600_000 });
  const raw = await RawPeer.create(t);
  await raw.join(network, application);
  const block = chain.block('from one that leaves', []);
  const stream = await raw.open(RELAY_PROTOCOL, ({ kind }, self) => {
    if (kind !== RELAY.getBlocks) return;
    self.send(RELAY.fullBlock, concatBytes(block.header, block.body));
  });
  stream.send(RELAY.announce, encodeAnnouncement({ transactions: [], blocks: [block.id] }));
  await until(() => submissions === 1, 'the block');
  await raw.connection.close();
  await until(() => network.peers.size === 0, 'the peer to leave');
  gate.resolve('later');
  await new Promise(setImmediate);
  application.adopt(2);
  assert.equal(network.relay.queuedBlocks, 0);
});
