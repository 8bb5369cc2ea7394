import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { ChecksummedStore, exportSnapshot, importSnapshot } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { checkLeaves } from 'svc-wasm/protocol';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { NetworkNode, packed, until } from './testing/network-node.ts';

async function paidFixture(cuts: number): Promise<ChainFixture> {
  const fixture = await ChainFixture.create({ validators: 4 });
  for (let account = 0; fixture.head.height < cuts; account = (account + 1) % 5) {
    const wire = await fixture.pay(account, fixture.address(7), 5_000n);
    await fixture.cut([fixture.mine([wire])]);
  }
  return fixture;
}

async function installAll(node: NetworkNode, fixture: ChainFixture): Promise<void> {
  for (let height = node.chain.head.height + 1; height <= fixture.head.height; height++) {
    const { type } = await node.chain.install(await packed(fixture, height));
    assert.equal(type, 'installed');
  }
}

/** The folder of a node that begins with the state of the head. */
async function beginFrom(
  fixture: ChainFixture,
  folder: string,
  mode: 'full' | 'pruned',
): Promise<void> {
  const directory = join(folder, 'chain');
  mkdirSync(directory);
  const level = await ChecksummedStore.open(join(directory, 'db'));
  const { chainId } = fixture;
  await importSnapshot(level, exportSnapshot(fixture.store), {
    ...{ chainId, mode, directory },
    checkCertificate: () => {},
  });
  await level.close();
}

test('two nodes with one genesis find each other, sync, and pass payments, blocks and cuts on', async (t) => {
  const fixture = await paidFixture(12);
  t.after(() => fixture.close());
  const first = await NetworkNode.start(t, fixture.genesis);
  await installAll(first, fixture);
  const second = await NetworkNode.start(t, fixture.genesis, [first.address]);
  await until(() => second.chain.head.height === 12, 'sync');
  assert.deepEqual(second.chain.head, fixture.head);
  assert.equal(second.network.bestPeerHeight, 12);
  assert.equal(second.network.isSynced, true);
  assert.deepEqual(second.network.peers, { inbound: 0, outbound: 1 });

  const wire = await fixture.pay(1, fixture.address(8), 7_000n);
  const admission = await second.mempool.submit(wire, 'own');
  assert.equal(admission.type, 'accepted');
  await until(() => first.mempool.size === 1, 'the payment');
  const [pooled] = [...first.mempool.all()];
  assert.equal(pooled?.origin, 'relayed');

  const block = fixture.mine([wire]);
  await first.blocks.submit(block.bytes.header, block.bytes.body);
  await until(() => second.blocks.get(block.bytes.id) !== undefined, 'the block');
  await fixture.cut([block]);
  await fixture.cut();
  await installAll(first, fixture);
  await until(() => second.chain.head.height === 14, 'the cuts');
  assert.deepEqual(second.chain.head, first.chain.head);
  assert.equal(second.mempool.size, 0);
  const fetched = await second.network.fetchBlocks([block.bytes.id], 60_000);
  assert.deepEqual(fetched, [block.bytes]);
  const { traffic } = second.network;
  assert.ok(traffic.receivedBytes > 50_000 && traffic.sentBytes > 5_000);
  assert.deepEqual([first.fatal, second.fatal], [[], []]);
});

test('a payment whose input a lagging node does not know yet is taken when the node has caught up', async (t) => {
  const fixture = await paidFixture(6);
  t.after(() => fixture.close());
  const first = await NetworkNode.start(t, fixture.genesis);
  await installAll(first, fixture);
  const second = await NetworkNode.start(t, fixture.genesis, [first.address]);
  await until(() => second.chain.head.height === 6, 'sync');
  const catchUp = Promise.withResolvers<void>();
  t.after(() => catchUp.resolve());
  const install = second.chain.install.bind(second.chain);
  second.chain.install = async (cut) => {
    await catchUp.promise;
    return await install(cut);
  };
  await fixture.cut([fixture.mine([await fixture.pay(1, fixture.address(7), 5_000n)])]);
  await fixture.cut();
  await installAll(first, fixture);
  const wire = await fixture.pay(1, fixture.address(8), 7_000n);
  const refusals: string[] = [];
  second.mempool.answered.on((answer) => refusals.push(answer));
  assert.equal((await first.mempool.submit(wire, 'own')).type, 'accepted');
  await until(() => refusals.length > 0, 'the answer of the node that lags');
  assert.deepEqual(refusals, ['refused']);
  catchUp.resolve();
  await until(() => second.mempool.size === 1, 'the payment');
});

test('a node that began from a snapshot gets past evidence about an epoch before it', async (t) => {
  const fixture = await ChainFixture.create({ validators: 4 });
  t.after(() => fixture.close());
  await fixture.runTo(122);
  const directory = temporaryDirectory();
  await beginFrom(fixture, directory, 'full');
  await fixture.cut([], [fixture.contradiction(5, 1)]);
  for (let cuts = 0; cuts < 2; cuts++) await fixture.cut();
  const first = await NetworkNode.start(t, fixture.genesis);
  await installAll(first, fixture);
  const second = await NetworkNode.start(t, fixture.genesis, [first.address], directory, 'full');
  assert.equal(second.chain.head.height, 122);
  assert.equal(second.chain.setAt(5), undefined);
  const stops: unknown[] = [];
  second.network.stopped.on((stop) => stops.push(stop));
  await until(() => second.chain.head.height === 125 || stops.length > 0, 'the cuts after it');
  assert.deepEqual(stops, []);
  assert.deepEqual(second.chain.head, fixture.head);
  assert.deepEqual(second.fatal, []);
});

/** More than the headers that a snapshot has. */
const BEGUN = 150;

for (const mode of ['full', 'pruned'] as const)
  test(`a node of mode ${mode} that began from a snapshot gets the ids of earlier cuts, proves these cuts, and serves the ids to others`, async (t) => {
    const fixture = await ChainFixture.create({ validators: 4 });
    t.after(() => fixture.close());
    await fixture.runTo(BEGUN);
    const folders = [temporaryDirectory(), temporaryDirectory()] as const;
    for (const folder of folders) await beginFrom(fixture, folder, mode);
    for (let cuts = 0; cuts < 3; cuts++) await fixture.cut();
    const first = await NetworkNode.start(t, fixture.genesis);
    await installAll(first, fixture);
    let bootstrap = first.address;
    for (const folder of folders) {
      const node = await NetworkNode.start(t, fixture.genesis, [bootstrap], folder, mode);
      assert.equal(node.chain.idsLeft, BEGUN - 1);
      await until(
        () => node.chain.head.height === BEGUN + 3 && node.chain.idsLeft === 0,
        'the ids',
      );
      const heights = [1, 17, BEGUN - 1, BEGUN + 1];
      const { list, leaves } =
        node.chain.proofs.cuts(BEGUN + 3, heights) ?? assert.fail('no proof');
      const { header } = fixture.cuts[BEGUN + 2] ?? assert.fail();
      checkLeaves(list, leaves, header.historyRoot);
      const expected = heights.map((height) => fixture.cuts[height - 1]?.cutId);
      assert.deepEqual(leaves.map(toHex), expected);
      if (mode === 'pruned') assert.equal(node.chain.retention.firstHeight, BEGUN);
      else await until(() => node.chain.retention.firstHeight === 1, 'the cuts');
      assert.deepEqual(node.fatal, []);
      bootstrap = node.address;
    }
  });

test('a node that is stopped before it has all ids continues after a start, and takes none from a peer that lies about them', async (t) => {
  const fixture = await ChainFixture.create({ validators: 4 });
  t.after(() => fixture.close());
  await fixture.runTo(BEGUN);
  const folder = temporaryDirectory();
  await beginFrom(fixture, folder, 'pruned');
  await fixture.cut();
  const liar = await NetworkNode.start(t, fixture.genesis);
  await installAll(liar, fixture);
  const { pastIds } = liar.chain;
  const asked = Promise.withResolvers<void>();
  const prove = pastIds.prove.bind(pastIds);
  pastIds.prove = (height, earlier) => {
    asked.resolve();
    const proof = prove(height, earlier);
    return proof && { ...proof, leaves: proof.leaves.toReversed() };
  };
  const begun = await NetworkNode.start(
    { after: () => {} },
    fixture.genesis,
    [liar.address],
    folder,
    'pruned',
  );
  await asked.promise;
  await until(() => begun.chain.head.height === BEGUN + 1, 'the next cut');
  await begun.close();
  const honest = await NetworkNode.start(t, fixture.genesis);
  await installAll(honest, fixture);
  const addresses = [liar.address, honest.address];
  const node = await NetworkNode.start(t, fixture.genesis, addresses, folder, 'pruned');
  assert.equal(node.chain.idsLeft, BEGUN - 1);
  await until(() => node.chain.idsLeft === 0, 'the ids');
  const { leaves } = node.chain.proofs.cuts(BEGUN + 1, [1]) ?? assert.fail('no proof');
  assert.deepEqual(leaves.map(toHex), [fixture.cuts[0]?.cutId]);
});

test('a sync that is closed on the way goes on with the same folder', async (t) => {
  const fixture = await paidFixture(60);
  t.after(() => fixture.close());
  const first = await NetworkNode.start(t, fixture.genesis);
  await installAll(first, fixture);
  const directory = temporaryDirectory();
  const heights: number[] = [];
  for (let run = 0; run < 2; run++) {
    const node = await NetworkNode.start(
      { after: () => {} },
      fixture.genesis,
      [first.address],
      directory,
    );
    const from = node.chain.head.height;
    const hasMoved = () => node.chain.head.height > from || node.chain.head.height === 60;
    await until(hasMoved, 'some cuts');
    await node.close();
    heights.push(node.chain.head.height);
  }
  const last = await NetworkNode.start(t, fixture.genesis, [first.address], directory);
  assert.ok(last.chain.head.height >= (heights.at(-1) ?? 0));
  await until(() => last.chain.head.height === 60, 'the rest');
  assert.deepEqual(last.chain.head, fixture.head);
});
