import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { type KeyValueStore, LevelStore } from 'svc-storage';
import { LOCAL_SOURCE } from './hash-budget.ts';
import { ProposalBlocks } from './proposal-blocks.ts';
import { type BlockPair, PoolKit } from './testing/pool-kit.ts';

async function open(
  kit: PoolKit,
  hashed: Uint8Array[] = [],
  wrapStore = (store: KeyValueStore) => store,
): Promise<ProposalBlocks> {
  const { chain, anchors, pool } = kit;
  return ProposalBlocks.open({
    chain,
    anchors,
    pool,
    mempool: { get: () => undefined },
    pow: {
      check: (header) => {
        hashed.push(header);
        return kit.light.check(header);
      },
    },
    store: wrapStore(await LevelStore.open(join(kit.directory, 'proposals'))),
    log: SILENT_LOG,
    onFatal: assert.ifError,
  });
}

async function openIn(t: TestContext, kit: PoolKit): Promise<ProposalBlocks> {
  const blocks = await open(kit);
  t.after(() => blocks.close());
  return blocks;
}

async function acceptedId(blocks: ProposalBlocks, { header, body }: BlockPair): Promise<string> {
  const admission = await blocks.submit(header, body);
  assert.equal(admission.type, 'accepted', JSON.stringify(admission));
  return 'id' in admission ? admission.id : assert.fail();
}

test('a full pool does not keep a block of a proposal away', async (t) => {
  const kit = await PoolKit.create(t, { limits: { blocksMax: 1 } });
  const blocks = await openIn(t, kit);
  const waiting = await kit.accept();
  const wanted = kit.mined();
  const refusal = await kit.pool.submit(wanted.header, wanted.body);
  assert.equal('code' in refusal && refusal.code, 'block_pool_full');
  const told: string[] = [];
  blocks.accepted.on(({ block }) => told.push(block.id));
  const id = await acceptedId(blocks, wanted);
  assert.deepEqual(told, [id]);
  assert.equal(blocks.get(id)?.block.id, id);
  assert.equal(blocks.get(waiting.block.id), waiting);
  assert.deepEqual(await blocks.submit(wanted.header, wanted.body), { type: 'known', id });
});

test('the pool has a block with the same body: another one that a proposal names is accepted', async (t) => {
  const kit = await PoolKit.create(t);
  const blocks = await openIn(t, kit);
  const { header, body } = kit.mined();
  const twin = { header: kit.prove(header.with(311, 1)), body };
  assert.equal((await kit.pool.submit(header, body, LOCAL_SOURCE)).type, 'accepted');
  const id = await acceptedId(blocks, twin);
  assert.equal(blocks.get(id)?.block.id, id);
});

test('a budget that strangers have spent does not keep a block of a proposal away', async (t) => {
  const kit = await PoolKit.create(t, { limits: { hashes: { burst: 1, perSecond: 0 } } });
  const blocks = await openIn(t, kit);
  const junk = kit.mined([], false);
  await kit.pool.submit(junk.header, junk.body, 'stranger');
  const wanted = kit.mined();
  const refusal = await kit.pool.submit(wanted.header, wanted.body, 'another');
  assert.equal('code' in refusal && refusal.code, 'overloaded');
  await acceptedId(blocks, wanted);
});

test('a proof that does not hold is refused, and hashed once however often it comes', async (t) => {
  const kit = await PoolKit.create(t);
  const hashed: Uint8Array[] = [];
  const blocks = await open(kit, hashed);
  t.after(() => blocks.close());
  const { header, body } = kit.mined([], false);
  for (let time = 0; time < 3; time++) {
    const refusal = await blocks.submit(header, body);
    assert.equal('code' in refusal && refusal.code, 'target_missed');
  }
  const wrongBody = await blocks.submit(kit.mined().header, body);
  assert.equal('code' in wrongBody && wrongBody.code, 'bad_block');
  assert.equal(hashed.length, 1);
  assert.equal(blocks.size, 0);
});

test('a block that was accepted is there after a restart, and goes when the height is decided', async (t) => {
  const kit = await PoolKit.create(t);
  const first = await open(kit);
  const id = await acceptedId(first, kit.mined());
  await first.close();
  const second = await open(kit);
  assert.equal(second.get(id)?.block.id, id);
  await kit.chain.cut();
  assert.equal(second.size, 0);
  await second.close();
  const third = await openIn(t, kit);
  assert.equal(third.get(id), undefined);
});

/** A store of a proposal's blocks whose writes wait for `release`. */
async function openHeld(kit: PoolKit) {
  const gate = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  const blocks = await open(kit, [], (store) => {
    const write = store.write.bind(store);
    store.write = async (operations, options) => {
      writing.resolve();
      await gate.promise;
      return write(operations, options);
    };
    return store;
  });
  return { blocks, writing: writing.promise, release: gate.resolve };
}

test('a block is not there before it is on the disk', async (t) => {
  const kit = await PoolKit.create(t);
  const { blocks, writing, release } = await openHeld(kit);
  t.after(() => blocks.close());
  const told: string[] = [];
  blocks.accepted.on(({ block }) => told.push(block.id));
  const { header, body } = kit.mined();
  const admission = blocks.submit(header, body);
  await writing;
  const whileWriting = [told.length, blocks.size];
  release();
  assert.equal((await admission).type, 'accepted');
  assert.deepEqual([whileWriting, told.length, blocks.size], [[0, 0], 1, 1]);
});

test('a block that is on the disk only after its height was decided is refused and deleted', async (t) => {
  const kit = await PoolKit.create(t);
  const { blocks, writing, release } = await openHeld(kit);
  const { header, body } = kit.mined();
  const admission = blocks.submit(header, body);
  await writing;
  await kit.chain.cut();
  release();
  const refusal = await admission;
  assert.equal('code' in refusal && refusal.code, 'late');
  assert.equal(blocks.size, 0);
  await blocks.close();
  assert.equal((await openIn(t, kit)).size, 0);
});

test('two proofs for one body are both kept: proposals may name either', async (t) => {
  const kit = await PoolKit.create(t);
  const blocks = await openIn(t, kit);
  const { header, body } = kit.mined();
  await acceptedId(blocks, { header, body });
  await acceptedId(blocks, { header: kit.prove(header.with(311, 1)), body });
  assert.equal(blocks.size, 2);
});
