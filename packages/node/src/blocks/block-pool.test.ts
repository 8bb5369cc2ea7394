import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { BLOCK_BODY_BYTES_MAX, BLOCKS_PER_CUT_MAX, bytesOf, compareBlocks } from 'svc-ledger';
import type { PooledBlock, PooledTransaction } from 'svc-serve/ports';
import { LevelStore } from 'svc-storage';
import { PoolKit } from './testing/pool-kit.ts';

const idsOf = (blocks: readonly PooledBlock[]) => blocks.map(({ block }) => block.id);

test('an accepted block is told once, is found by its transactions, and goes when it is executed', async (t) => {
  const kit = await PoolKit.create(t);
  const told: PooledBlock[] = [];
  kit.pool.accepted.on((pooled) => void told.push(pooled));
  const wire = await kit.chain.pay(1, kit.chain.address(2), 7n);
  const { id } = kit.chain.transactions.decode(wire);
  assert.equal(kit.pool.carrying(id), undefined);
  const pooled = await kit.accept([wire]);
  assert.deepEqual(told, [pooled]);
  assert.equal(pooled.minerTag, 'fixture');
  assert.equal(kit.pool.carrying(id), pooled);
  assert.deepEqual([kit.pool.size, kit.pool.bytes], [1, 312 + pooled.bytes.body.length]);

  await kit.chain.cut(kit.pool.registrable(1));
  assert.equal(kit.pool.carrying(id), pooled);
  assert.deepEqual(kit.pool.registrable(2), []);
  const second = await kit.accept([wire]);
  assert.equal(kit.pool.carrying(id), pooled, 'the registered one comes first');
  const { result } = await kit.chain.cut();
  assert.deepEqual(
    result.events.outcomes.map(({ kind }) => kind),
    ['finalized'],
  );
  assert.equal(kit.pool.get(pooled.block.id), undefined);
  assert.equal(kit.pool.carrying(id), second);
});

test('what a cut may register comes oldest anchor first, then by id, and no more than 256', async (t) => {
  const kit = await PoolKit.create(t);
  const first = await Promise.all([kit.accept(), kit.accept(), kit.accept()]);
  await kit.chain.cut();
  const second = await Promise.all([kit.accept(), kit.accept()]);
  const expected = [...first, ...second].sort((a, b) => compareBlocks(a.block, b.block));
  assert.deepEqual(idsOf(kit.pool.registrable(2)), idsOf(expected));
  assert.deepEqual(idsOf(kit.pool.registrable(2)).slice(0, 3), idsOf(first).sort());
  assert.deepEqual(kit.pool.registrable(97), []);
  assert.deepEqual(idsOf(kit.pool.registrable(96)), idsOf(second).sort());

  const more: PooledBlock[] = [];
  while (more.length < BLOCKS_PER_CUT_MAX) more.push(await kit.accept());
  const chosen = kit.pool.registrable(2);
  assert.equal(chosen.length, BLOCKS_PER_CUT_MAX);
  assert.deepEqual(
    idsOf(chosen).slice(0, 5),
    idsOf(expected.slice(0, 3)).concat(idsOf(chosen).slice(3, 5)),
  );
  assert.ok(BLOCKS_PER_CUT_MAX * BLOCK_BODY_BYTES_MAX <= 16_384_000);
  await kit.chain.cut(chosen);
  const rest = kit.pool.registrable(3);
  assert.equal(rest.length, 5);
  assert.deepEqual(new Set([...idsOf(chosen), ...idsOf(rest)]).size, kit.pool.size);
});

test('a full pool refuses before the hash, by count and by bytes', async (t) => {
  const kit = await PoolKit.create(t, { limits: { blocksMax: 1 } });
  await kit.accept();
  kit.hashes = 0;
  const { header, body } = kit.mined();
  const byCount = await kit.pool.submit(header, body);
  assert.equal('code' in byCount && byCount.code, 'block_pool_full');

  const small = await PoolKit.create(t, { limits: { bytesMax: header.length + body.length - 1 } });
  const other = small.mined();
  const byBytes = await small.pool.submit(other.header, other.body);
  assert.equal('code' in byBytes && byBytes.code, 'block_pool_full');
  assert.equal(kit.hashes + small.hashes, 0);
});

test('hashes that come to nothing are counted for their source, and real work is not', async (t) => {
  const clock = new ManualClock();
  const kit = await PoolKit.create(t, { clock });
  const outcomes: string[] = [];
  for (let attempt = 0; attempt < 70; attempt++) {
    const { header, body } = kit.mined([], false);
    const verdict = await kit.pool.submit(header, body, 'stranger');
    outcomes.push('code' in verdict ? verdict.code : verdict.type);
  }
  const expected = [...Array(64).fill('target_missed'), ...Array(6).fill('overloaded')];
  assert.deepEqual(outcomes, expected);
  assert.equal(kit.hashes, 64);
  const real = kit.mined();
  const fromStranger = await kit.pool.submit(real.header, real.body, 'stranger');
  assert.equal('code' in fromStranger && fromStranger.code, 'overloaded');
  for (let block = 0; block < 70; block++) {
    const { header, body } = kit.mined();
    assert.equal((await kit.pool.submit(header, body, 'miner')).type, 'accepted');
  }
});

test('a transaction that the mempool holds is not read a second time, one with other witnesses is', async (t) => {
  const held = new Map<string, PooledTransaction>();
  const kit = await PoolKit.create(t, {
    mempool: async () => ({ get: (id) => held.get(id) }),
  });
  const wire = await kit.chain.pay(1, kit.chain.address(2), 7n);
  const transaction = kit.chain.transactions.decode(wire);
  const waiting = (bytes: Uint8Array): PooledTransaction => ({
    id: transaction.id,
    wire: bytes,
    transaction,
    spent: [],
    fee: 1n,
    mass: transaction.mass,
    origin: 'own',
    receivedAtMillis: 0,
  });
  held.set(transaction.id, waiting(wire));
  const shared = await kit.accept([wire]);
  assert.equal(shared.transactions[0], transaction);
  const other = wire.with(wire.length - 1, 255 - (wire.at(-1) ?? 0));
  held.set(transaction.id, waiting(other));
  const own = await kit.accept([wire]);
  assert.equal(own.transactions[0]?.id, transaction.id);
  assert.notEqual(own.transactions[0], transaction);
});

test('after a restart the pool has what waits or is to be executed, and nothing else', async (t) => {
  const kit = await PoolKit.create(t);
  const [executed, registered, waiting] = [
    await kit.accept(),
    await kit.accept(),
    await kit.accept(),
  ];
  await kit.chain.cut([executed]);
  await kit.reopen();
  await kit.chain.cut([registered]);
  const before = [registered, waiting].map((pooled) => kit.pool.get(pooled.block.id));
  await kit.reopen();
  assert.equal(kit.pool.size, 2);
  for (const pooled of before) assert.deepEqual(kit.pool.get(String(pooled?.block.id)), pooled);
  assert.deepEqual(idsOf(kit.pool.registrable(3)), [waiting.block.id]);
  await kit.chain.cut();
  await kit.reopen();
  assert.deepEqual(kit.pool.get(registered.block.id), undefined);
  const expired: PooledBlock[] = [];
  kit.pool.expired.on((pooled) => void expired.push(pooled));
  await kit.chain.runTo(95);
  assert.deepEqual(idsOf(expired), [waiting.block.id]);
  assert.equal(kit.pool.size, 0);
  await kit.pool.close();
  const level = await LevelStore.open(join(kit.directory, 'blocks'));
  const left = await level.range({
    from: new Uint8Array(0),
    to: new Uint8Array(49).fill(255),
    limit: 9,
  });
  assert.deepEqual(left, []);
  await level.close();
});

test('damaged records are left out at the start and removed', async (t) => {
  const kit = await PoolKit.create(t);
  const [whole, ...damaged] = [
    await kit.accept(),
    await kit.accept(),
    await kit.accept(),
    await kit.accept(),
  ];
  await kit.pool.close();
  const level = await LevelStore.open(join(kit.directory, 'blocks'));
  const damages = [
    (record: Uint8Array) => record.subarray(0, 300),
    (record: Uint8Array) => record.with(9 + 288, (record[9 + 288] as number) ^ 1),
    (record: Uint8Array) => record.with(-1, (record[record.length - 1] as number) ^ 1),
  ];
  for (const [place, { block }] of damaged.entries()) {
    const key = bytesOf(block.id);
    const record = damages[place]?.(level.getSync(key) as Uint8Array) as Uint8Array;
    await level.write([{ type: 'put', key, value: record }], { sync: true });
  }
  await level.close();
  await kit.reopen();
  assert.deepEqual(idsOf(kit.pool.registrable(1)), [whole?.block.id]);
  await kit.reopen();
  assert.equal(kit.pool.size, 1);
});

test('a failed write is told, and no block is accepted after it', async (t) => {
  const fatal: Error[] = [];
  let fails = false;
  const kit = await PoolKit.create(t, {
    onFatal: (error) => void fatal.push(error),
    wrapStore: (store) => {
      const write = store.write.bind(store);
      store.write = (operations, options) =>
        fails ? Promise.reject(new Error('no space left')) : write(operations, options);
      return store;
    },
  });
  await kit.accept();
  fails = true;
  await assert.rejects(kit.accept(), /no space left/);
  fails = false;
  await assert.rejects(kit.accept(), /no space left/);
  assert.deepEqual([fatal.length, kit.pool.size], [1, 1]);
});

test('parents are held against what the head says now, however often the chain moves', async (t) => {
  const kit = await PoolKit.create(t);
  let registered = await kit.accept();
  for (let height = 1; height <= 3; height++) {
    await kit.chain.cut(kit.pool.registrable(height));
    const next = await kit.accept();
    assert.deepEqual(next.block.parents, [registered.block.id]);
    assert.deepEqual(idsOf(kit.pool.registrable(height + 1)), [next.block.id]);
    registered = next;
  }
});
