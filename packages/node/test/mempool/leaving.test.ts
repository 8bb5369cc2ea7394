/**
 * Who leaves the mempool, when, and with which reason: a real chain executes, spends and goes on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionPool } from '../../src/mempool/transaction-pool.ts';
import { createSetting } from './testing/setting.ts';
import { FEE } from './testing/test-wallet.ts';

function follow(pool: TransactionPool): [string, string][] {
  const left: [string, string][] = [];
  pool.removed.on(({ pooled, reason }) => void left.push([pooled.id, reason]));
  return left;
}

test('finalized, conflict, expired and rejected are told as such', async () => {
  const setting = await createSetting({ accounts: 4, coinsEach: 6 });
  const { wallet, chain } = setting;
  const pool = await setting.open();
  const left = follow(pool);
  const [validatorId = ''] = chain.view.validatorIds();
  const idOf = (wire: Uint8Array) => chain.transactions.decode(wire).id;
  const paid = wallet.pay({ coins: [wallet.coin(0)] });
  const loser = wallet.pay({ coins: [wallet.coin(1), wallet.coin(2)] });
  const winner = wallet.pay({ coins: [wallet.coin(2)], fee: 2n * FEE });
  const short = wallet.pay({ coins: [wallet.coin(3)], validUntil: 2 });
  const data = { validator_id: validatorId, epoch: '0' };
  const operation = { type: 'heartbeat', data } as const;
  const beat = (index: number) =>
    wallet.pay({ coins: [wallet.coin(index)], operation, operationBy: wallet.validator });
  const [late, first] = [beat(4), beat(5)];
  const waiting = wallet.pay({ coins: [wallet.coin(6)] });
  for (const wire of [paid, loser, short, late, waiting])
    assert.equal((await pool.submit(wire, 'own')).type, 'accepted');
  await chain.execute([paid, winner, first, late].map((wire) => chain.transactions.decode(wire)));
  assert.deepEqual(
    new Map(left),
    new Map([
      [idOf(paid), 'finalized'],
      [idOf(loser), 'conflict'],
      [idOf(late), 'rejected'],
      [idOf(short), 'expired'],
    ]),
  );
  assert.deepEqual(
    [...pool.all()].map(({ id }) => id),
    [idOf(waiting)],
  );
  assert.equal(pool.spenderOf(wallet.coin(1).outpoint), undefined);
  await pool.close();
  await setting.close();
});

test('what is not valid yet waits on when a block has carried it too early', async () => {
  const setting = await createSetting({ accounts: 2, coinsEach: 3 });
  const { wallet, chain } = setting;
  const pool = await setting.open();
  const wire = wallet.pay({ coins: [wallet.coin(0)], validFrom: 5 });
  await pool.submit(wire, 'own');
  const early = await chain.execute([chain.transactions.decode(wire)]);
  assert.equal(early.result.events.outcomes[0]?.kind, 'not_yet_valid');
  assert.equal(pool.size, 1);
  await chain.cut();
  await chain.execute([chain.transactions.decode(wire)]);
  assert.equal(pool.size, 0);
  await pool.close();
  await setting.close();
});

test('a full pool pushes out the lowest rate, relayed before own, and refuses no better', async () => {
  const setting = await createSetting({ accounts: 4, coinsEach: 6 });
  const { wallet, chain } = setting;
  const limits = { transactions: 3, bytes: 1 << 20, mass: 10n ** 9n };
  const pool = await setting.open({ limits });
  const left = follow(pool);
  const idOf = (wire: Uint8Array) => chain.transactions.decode(wire).id;
  const pay = (index: number, fee: bigint) => wallet.pay({ coins: [wallet.coin(index)], fee });
  const wires = [pay(0, 2n * FEE), pay(1, FEE), pay(2, FEE)];
  const origins = ['own', 'own', 'relayed'] as const;
  for (const [index, wire] of wires.entries())
    assert.equal((await pool.submit(wire, origins[index] ?? 'own')).type, 'accepted');
  const codeOf = async (wire: Uint8Array, origin: 'own' | 'relayed') => {
    const admission = await pool.submit(wire, origin);
    return admission.type === 'refused' ? admission.code : admission.type;
  };
  assert.equal(await codeOf(pay(3, FEE), 'relayed'), 'mempool_full');
  assert.equal(await codeOf(pay(3, FEE), 'own'), 'accepted');
  assert.deepEqual(left.splice(0), [[idOf(wires[2] as Uint8Array), 'evicted']]);
  assert.equal(await codeOf(pay(4, FEE), 'own'), 'mempool_full');
  assert.equal(await codeOf(pay(4, FEE + 1n), 'relayed'), 'accepted');
  assert.deepEqual(left, [[idOf(pay(3, FEE)), 'evicted']]);
  assert.equal(pool.size, 3);
  assert.equal(await codeOf(pay(3, 3n * FEE), 'own'), 'accepted');
  await pool.close();
  await setting.close();
});

test('[NSOCK-22] a transaction that the pool is told to forget leaves for an unknown reason', async () => {
  const setting = await createSetting({ accounts: 2, coinsEach: 2 });
  const { wallet, chain } = setting;
  const pool = await setting.open();
  const left = follow(pool);
  const wire = wallet.pay({ coins: [wallet.coin(0)], fee: FEE });
  await pool.submit(wire, 'own');
  const { id } = chain.transactions.decode(wire);
  assert.equal(pool.drop(id), true);
  assert.deepEqual(left, [[id, 'unknown']]);
  assert.deepEqual([pool.size, pool.drop(id)], [0, false]);
  await pool.close();
  await setting.close();
});

test('bytes and mass are bounded as well as the number', async () => {
  const setting = await createSetting({ accounts: 4, coinsEach: 6 });
  const { wallet, chain } = setting;
  const pay = (index: number, fee = FEE) => wallet.pay({ coins: [wallet.coin(index)], fee });
  const { mass } = chain.transactions.decode(pay(0));
  const bytes = pay(0).length;
  const roomy = { transactions: 100, bytes: 1 << 20, mass: 10n ** 9n };
  for (const limits of [
    { ...roomy, bytes: 2 * bytes },
    { ...roomy, mass: 2n * mass },
  ]) {
    const pool = await setting.open({ limits });
    for (const index of [0, 1]) await pool.submit(pay(index), 'own');
    const third = await pool.submit(pay(2), 'own');
    assert.equal(third.type === 'refused' && third.code, 'mempool_full');
    assert.equal((await pool.submit(pay(2, 2n * FEE), 'own')).type, 'accepted');
    assert.equal(pool.size, 2);
    assert.ok(pool.bytes <= limits.bytes && pool.mass <= limits.mass);
    await pool.close();
  }
  await setting.close();
});
