/**
 * The mempool after its process has ended: what comes back, what does not, and what was damaged meanwhile.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { MemoryStore } from 'svc-storage';
import { Journal } from '../../src/mempool/journal.ts';
import { CountingWorkers } from './testing/counting-workers.ts';
import { createSetting } from './testing/setting.ts';
import { FEE } from './testing/test-wallet.ts';

/** What a database held at this moment, as another process would find it. */
async function copyOf(store: MemoryStore): Promise<MemoryStore> {
  const copy = new MemoryStore();
  for await (const entries of store.scan({
    from: new Uint8Array(),
    to: new Uint8Array(64).fill(255),
  }))
    await copy.write(entries.map(([key, value]) => ({ type: 'put', key, value })));
  return copy;
}

test('everything comes back as it was: order, origin, time; and its signatures are checked behind', async (t) => {
  const setting = await createSetting({ accounts: 3, coinsEach: 6 });
  const { wallet, chain, clock } = setting;
  const directory = temporaryDirectory(t);
  const pool = await setting.open({ store: await Journal.open(directory) });
  for (let index = 0; index < 9; index++) {
    clock.advance(10);
    const wire = wallet.pay({ coins: [wallet.coin(index)], fee: FEE + BigInt(index % 3) });
    await pool.submit(wire, index % 2 === 0 ? 'own' : 'relayed');
  }
  const listed = [...pool.all()].map(({ id, origin, receivedAtMillis, fee }) => ({
    id,
    origin,
    receivedAtMillis,
    fee,
  }));
  await pool.close();
  const workers = new CountingWorkers(setting.checks);
  const again = await setting.open({ store: await Journal.open(directory), workers });
  assert.deepEqual(
    [...again.all()].map(({ id, origin, receivedAtMillis, fee }) => ({
      id,
      origin,
      receivedAtMillis,
      fee,
    })),
    listed,
  );
  await again.rechecked;
  assert.equal(workers.checks, 9);
  const executed = [...again.all()].map(({ transaction }) => transaction);
  const { result } = await chain.execute(executed);
  assert.ok(result.events.outcomes.every(({ kind }) => kind === 'finalized'));
  assert.equal(again.size, 0);
  await again.close();
  await setting.close();
});

test('what the chain has decided meanwhile does not come back', async () => {
  const setting = await createSetting({ accounts: 3, coinsEach: 6 });
  const { wallet, chain } = setting;
  const store = new MemoryStore();
  const pool = await setting.open({ store });
  const executed = wallet.pay({ coins: [wallet.coin(0)] });
  const rival = wallet.pay({ coins: [wallet.coin(1)], fee: 2n * FEE });
  const wires = [
    executed,
    wallet.pay({ coins: [wallet.coin(1)] }),
    wallet.pay({ coins: [wallet.coin(2)], validUntil: 2 }),
    wallet.pay({ coins: [wallet.coin(3)] }),
  ];
  for (const wire of wires) assert.equal((await pool.submit(wire, 'own')).type, 'accepted');
  const before = await copyOf(store);
  await pool.close();
  await chain.execute([executed, rival].map((wire) => chain.transactions.decode(wire)));
  const again = await setting.open({ store: before });
  const last = chain.transactions.decode(wires[3] as Uint8Array);
  assert.deepEqual(
    [...again.all()].map(({ id }) => id),
    [last.id],
  );
  await again.close();
  const third = await setting.open({ store: before });
  assert.equal(third.size, 1);
  await third.close();
  await setting.close();
});

test('a damaged body, witness or key is dropped; the rest is kept', async () => {
  const setting = await createSetting({ accounts: 3, coinsEach: 6 });
  const { wallet } = setting;
  const store = new MemoryStore();
  const pool = await setting.open({ store });
  for (let index = 0; index < 4; index++)
    await pool.submit(wallet.pay({ coins: [wallet.coin(index)] }), 'own');
  const sound = [...pool.all()].map(({ id }) => id);
  const damaged = await copyOf(store);
  await pool.close();
  const all = { from: new Uint8Array(), to: new Uint8Array(64).fill(255) };
  const entries = await damaged.range({ ...all, limit: 9 });
  const [body, witness, key] = entries as [
    (typeof entries)[0],
    (typeof entries)[0],
    (typeof entries)[0],
  ];
  const flip = (bytes: Uint8Array, at: number) =>
    bytes.map((byte, place) => (place === at ? byte ^ 1 : byte));
  await damaged.write([
    { type: 'put', key: body[0], value: flip(body[1], 150) },
    { type: 'put', key: witness[0], value: flip(witness[1], witness[1].length - 9) },
    { type: 'del', key: key[0] },
    { type: 'put', key: key[0].subarray(1), value: key[1] },
  ]);
  const again = await setting.open({ store: damaged });
  const removed: string[] = [];
  again.removed.on(({ pooled, reason }) => void removed.push(`${reason} ${pooled.id}`));
  assert.equal(again.size, 2);
  await again.rechecked;
  assert.equal(again.size, 1);
  assert.equal(removed.length, 1);
  assert.match(removed[0] ?? '', /^rejected /);
  assert.ok([...again.all()].every(({ id }) => sound.includes(id)));
  await again.close();
  assert.equal((await damaged.range({ ...all, limit: 9 })).length, 1);
  await setting.close();
});

test('a failed write is fatal, and nothing is acknowledged after it', async () => {
  class FullDisk extends MemoryStore {
    override async write(): Promise<void> {
      throw new Error('no space left on device');
    }
  }
  const setting = await createSetting({ accounts: 2, coinsEach: 3 });
  const { wallet } = setting;
  const pool = await setting.open({ store: new FullDisk() });
  const pay = (index: number) => wallet.pay({ coins: [wallet.coin(index)] });
  await assert.rejects(pool.submit(pay(0), 'own'), /no space left/);
  assert.match(setting.fatal[0]?.message ?? '', /no space left/);
  await assert.rejects(pool.submit(pay(0), 'own'), /no space left/);
  await assert.rejects(pool.submit(pay(1), 'own'), /no space left/);
  await setting.close();
});
