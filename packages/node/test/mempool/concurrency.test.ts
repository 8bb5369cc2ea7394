/**
 * What happens between the check of a signature and the answer: other submissions, and cuts.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Admission } from 'svc-serve/ports';
import { CountingWorkers } from './testing/counting-workers.ts';
import { createSetting } from './testing/setting.ts';
import { FEE } from './testing/test-wallet.ts';

const setting = await createSetting({ accounts: 3, coinsEach: 12 });
after(() => setting.close());

function typesOf(admissions: readonly Admission[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const admission of admissions) {
    const name = admission.type === 'refused' ? admission.code : admission.type;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

test('of many spends of one output that come at once exactly one is accepted', async () => {
  const { wallet } = setting;
  const pool = await setting.open();
  const rivals = Array.from({ length: 24 }, (_, index) =>
    wallet.pay({ coins: [wallet.coin(0)], fee: FEE + BigInt(index) }),
  );
  const admissions = await Promise.all(rivals.map((wire) => pool.submit(wire, 'own')));
  assert.deepEqual(typesOf(admissions), { accepted: 1, conflict: 23 });
  assert.equal(pool.size, 1);
  assert.equal(pool.select({ maxTransactions: 99, maxBytes: 1e6, maxMass: 10n ** 9n }).length, 1);
  await pool.close();
});

test('rings of overlapping spends leave a set without two spends of one output', async () => {
  const { wallet } = setting;
  const pool = await setting.open();
  const coins = Array.from({ length: 9 }, (_, index) => wallet.coin(1 + index));
  const wires = coins.flatMap((coin, index) => {
    const next = coins[(index + 1) % coins.length] ?? coin;
    return [FEE, 2n * FEE].map((fee) => wallet.pay({ coins: [coin, next], fee: 2n * fee }));
  });
  let replaced = 0;
  pool.removed.on(() => void replaced++);
  const admissions = await Promise.all(wires.map((wire) => pool.submit(wire, 'relayed')));
  const accepted = admissions.filter(({ type }) => type === 'accepted').length;
  assert.equal(pool.size, accepted - replaced);
  const spent = [...pool.all()].flatMap(({ transaction }) =>
    transaction.inputs.map(({ transactionId }) => transactionId),
  );
  assert.equal(new Set(spent).size, spent.length);
  assert.ok(pool.size >= 3 && pool.size <= 4, `${pool.size} of a ring of nine`);
  await pool.close();
});

test('the same bytes many times at once are checked once', async () => {
  const { wallet } = setting;
  const workers = new CountingWorkers(setting.checks);
  const pool = await setting.open({ workers });
  const wire = wallet.pay({ coins: [wallet.coin(11)] });
  const admissions = await Promise.all(
    Array.from({ length: 20 }, () => pool.submit(wire.slice(), 'own')),
  );
  assert.deepEqual(typesOf(admissions), { accepted: 1, known: 19 });
  assert.equal(workers.checks, 1);
  await pool.close();
});

test('a cut that comes while signatures are checked decides', async () => {
  const own = await createSetting({ accounts: 2, coinsEach: 4 });
  const { wallet, chain } = own;
  const workers = new CountingWorkers(own.checks);
  const pool = await own.open({ workers });
  const gate = Promise.withResolvers<void>();
  workers.gate = gate.promise;
  const [executed, rival, late] = [
    wallet.pay({ coins: [wallet.coin(0)] }),
    wallet.pay({ coins: [wallet.coin(0)], fee: 2n * FEE }),
    wallet.pay({ coins: [wallet.coin(1)], validUntil: 2 }),
  ];
  const submitted = [executed, rival, late].map((wire) => pool.submit(wire, 'own'));
  await chain.execute([chain.transactions.decode(executed)]);
  gate.resolve();
  const admissions = await Promise.all(submitted);
  assert.deepEqual(typesOf(admissions), { known: 1, conflict: 1, expired: 1 });
  assert.equal(pool.size, 0);
  await pool.close();
  await own.close();
});

test('what is under way when the pool closes is told so, and nothing is written after', async () => {
  const { wallet, fatal } = setting;
  const workers = new CountingWorkers(setting.checks);
  const pool = await setting.open({ workers });
  const gate = Promise.withResolvers<void>();
  workers.gate = gate.promise;
  const submitted = pool.submit(wallet.pay({ coins: [wallet.coin(20)] }), 'own');
  await pool.close();
  await pool.close();
  gate.resolve();
  assert.deepEqual(typesOf([await submitted]), { unavailable: 1 });
  assert.deepEqual(fatal, []);
});
