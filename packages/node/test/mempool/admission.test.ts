import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isErrorCode } from 'svc-api';
import { ATOMS_PER_COIN } from 'svc-ledger';
import type { Admission } from 'svc-serve/ports';
import { createManifest } from 'svc-wasm/protocol';
import { CountingWorkers } from './testing/counting-workers.ts';
import { idOf } from './testing/names.ts';
import { createSetting } from './testing/setting.ts';
import { FEE, type Payment } from './testing/test-wallet.ts';

const setting = await createSetting({ accounts: 4, coinsEach: 10 });
after(() => setting.close());

const refusalOf = (admission: Admission) => {
  assert.equal(admission.type, 'refused', JSON.stringify(admission));
  assert.ok(admission.type === 'refused' && isErrorCode(admission.code));
  return admission;
};

async function refused(payment: Payment, code: string, path?: string): Promise<void> {
  const pool = await setting.open();
  const refusal = refusalOf(await pool.submit(setting.wallet.pay(payment), 'own'));
  assert.equal(refusal.code, code, refusal.message);
  assert.equal(refusal.path, path);
  assert.equal(pool.size, 0);
  await pool.close();
}

test('a signed payment is accepted, shown, and known the second time', async () => {
  const { wallet, chain } = setting;
  const workers = await setting.startWorkers();
  const pool = await setting.open({ workers });
  const coin = wallet.coin(0);
  const wire = wallet.pay({ coins: [coin] });
  const { id, mass } = chain.transactions.decode(wire);
  const seen: string[] = [];
  pool.added.on((pooled) => void seen.push(pooled.id));
  assert.deepEqual(await pool.submit(wire, 'own'), { type: 'accepted', id });
  assert.deepEqual(await pool.submit(wire, 'relayed'), { type: 'known', id });
  assert.deepEqual(seen, [id]);
  const pooled = pool.get(id);
  assert.equal(pooled?.fee, FEE);
  assert.equal(pooled?.origin, 'own');
  assert.deepEqual(pooled?.spent, [{ address: coin.owner.address, amount: coin.amount }]);
  assert.deepEqual([pool.size, pool.bytes, pool.mass], [1, wire.length, mass]);
  assert.equal(pool.spenderOf(coin.outpoint)?.id, id);
  const payee = chain.transactions.decode(wire).outputs[0]?.address ?? '';
  assert.deepEqual(
    [coin.owner.address, payee, 'ff'].map((address) => pool.touching(address).length),
    [1, 1, 0],
  );
  assert.deepEqual(
    [...pool.all()].map((each) => each.id),
    [id],
  );
  await pool.close();
  await workers.close();
});

test('bytes that are no transaction of this chain are refused with the code of the protocol', async () => {
  const { wallet, chain } = setting;
  const pool = await setting.open();
  const wire = wallet.pay({ coins: [wallet.coin(0)] });
  const codeOf = async (bytes: Uint8Array) => refusalOf(await pool.submit(bytes, 'own')).code;
  assert.equal(await codeOf(new Uint8Array()), 'truncated');
  assert.equal(await codeOf(wire.slice(0, -1)), 'truncated');
  assert.equal(await codeOf(Uint8Array.of(...wire, 0)), 'trailing_bytes');
  assert.equal(await codeOf(new Uint8Array(60_001)), 'transaction_too_large');
  const { manifest } = wallet;
  wallet.manifest = createManifest('development', new Uint8Array(48).fill(1), {});
  const foreign = wallet.pay({ coins: [wallet.coin(0)] });
  wallet.manifest = manifest;
  assert.equal(await codeOf(foreign), 'wrong_chain');
  assert.equal(chain.head.height, 0);
  await pool.close();
});

test('windows, inputs, sums and fees are checked before any signature', async () => {
  const { wallet, chain } = setting;
  const coin = wallet.coin(0);
  const unknown = { ...coin, outpoint: `${idOf('nothing')}00000000` };
  const workers = new CountingWorkers(setting.checks);
  const pool = await setting.open({ workers });
  const cases: [Payment, string][] = [
    [{ coins: [coin], validUntil: 0 }, 'expired'],
    [{ coins: [coin], validFrom: 26, validUntil: 90 }, 'not_yet_valid'],
    [{ coins: [coin, unknown] }, 'unknown_input'],
    [{ coins: [coin], paid: coin.amount + 1n }, 'insufficient_inputs'],
    [{ coins: [coin], fee: 1_000n }, 'fee_too_low'],
    [{ coins: [coin], fee: 200_001n, declaredFee: 200_000n }, 'fee_mismatch'],
    [{ coins: [coin], fee: 200_000n, declaredFee: 200_001n }, 'fee_mismatch'],
    [{ coins: [coin], referenced: true }, 'key_not_registered'],
  ];
  for (const [payment, code] of cases) {
    const refusal = refusalOf(await pool.submit(wallet.pay(payment), 'own'));
    assert.equal(refusal.code, code, refusal.message);
  }
  assert.equal(workers.checks, 0);
  const { id } = chain.transactions.decode(wallet.pay({ coins: [coin], validFrom: 25 }));
  const soon = await pool.submit(wallet.pay({ coins: [coin], validFrom: 25 }), 'own');
  assert.deepEqual(soon, { type: 'accepted', id });
  await pool.close();
});

test('wrong signatures are refused, and the same bytes are not checked twice', async () => {
  const { wallet } = setting;
  const workers = new CountingWorkers(setting.checks);
  const pool = await setting.open({ workers });
  const payment = { coins: [wallet.coin(1)], to: wallet.account(2) };
  const bad = wallet.pay({ ...payment, spoiled: true });
  const first = refusalOf(await pool.submit(bad, 'own'));
  assert.equal(first.code, 'bad_spend_signature');
  assert.deepEqual(await pool.submit(bad.slice(), 'relayed'), first);
  assert.equal(workers.checks, 1);
  const other = { ...wallet.coin(1), owner: wallet.account(2) };
  const stolen = refusalOf(await pool.submit(wallet.pay({ coins: [other] }), 'own'));
  assert.equal(stolen.code, 'key_mismatch');
  await pool.close();
});

test('a bad signature does not stand in the way of the same transaction with a good one', async () => {
  const { wallet, chain } = setting;
  const pool = await setting.open();
  const payment = { coins: [wallet.coin(2)] };
  const bad = wallet.pay({ ...payment, spoiled: true });
  const good = wallet.pay(payment);
  const { id } = chain.transactions.decode(good);
  assert.equal(chain.transactions.decode(bad).id, id);
  const [first, second] = await Promise.all([
    pool.submit(bad, 'relayed'),
    pool.submit(good, 'own'),
  ]);
  assert.equal(refusalOf(first).code, 'bad_spend_signature');
  assert.deepEqual(second, { type: 'accepted', id });
  await pool.close();
  const another = await setting.open();
  assert.equal(refusalOf(await another.submit(bad, 'relayed')).code, 'bad_spend_signature');
  assert.deepEqual(await another.submit(good, 'own'), { type: 'accepted', id });
  await another.close();
});

test('a second spend takes the place of the first if it pays for both, and not for less', async () => {
  const { wallet, chain } = setting;
  const pool = await setting.open();
  const left: string[] = [];
  pool.removed.on(({ pooled, reason }) => void left.push(`${pooled.id} ${reason}`));
  const coins = [wallet.coin(3)];
  const first = wallet.pay({ coins });
  assert.equal((await pool.submit(first, 'relayed')).type, 'accepted');
  const { id, mass } = chain.transactions.decode(first);
  const least = FEE + mass * chain.parameters.minFeePerMass;
  const refusal = refusalOf(await pool.submit(wallet.pay({ coins, fee: least - 1n }), 'own'));
  assert.deepEqual([refusal.code, refusal.path], ['conflict', 'inputs[0]']);
  assert.match(refusal.message, new RegExp(`^${id} waits .* at least ${least} atoms`));
  const second = wallet.pay({ coins, fee: least });
  assert.equal((await pool.submit(second, 'own')).type, 'accepted');
  assert.deepEqual(left, [`${id} evicted`]);
  assert.equal(refusalOf(await pool.submit(first, 'relayed')).code, 'conflict');
  const wide = [wallet.coin(4), ...coins];
  const more = refusalOf(await pool.submit(wallet.pay({ coins: wide, fee: least + 1n }), 'own'));
  assert.deepEqual([more.code, more.path], ['conflict', 'inputs[1]'], 'the rate is not better');
  assert.equal(
    (await pool.submit(wallet.pay({ coins: wide, fee: 9n * FEE }), 'own')).type,
    'accepted',
  );
  assert.equal(pool.size, 1);
  await pool.settled();
  await pool.close();
});

test('a second spend that pays exactly the rate of the first does not take its place', async () => {
  const { wallet, chain } = setting;
  const pool = await setting.open();
  const massOf = (payment: Payment) => chain.transactions.decode(wallet.pay(payment)).mass;
  const coins = [wallet.coin(3)];
  const wide = [...coins, wallet.coin(4)];
  const rate = 10n * chain.parameters.minFeePerMass;
  const first = wallet.pay({ coins, fee: rate * massOf({ coins }) });
  assert.equal((await pool.submit(first, 'own')).type, 'accepted');
  const equal = rate * massOf({ coins: wide });
  const refusal = refusalOf(await pool.submit(wallet.pay({ coins: wide, fee: equal }), 'own'));
  assert.equal(refusal.code, 'conflict');
  const better = wallet.pay({ coins: wide, fee: equal + 1n });
  assert.equal((await pool.submit(better, 'own')).type, 'accepted');
  await pool.close();
});

test('operations that would come to nothing are refused, and so is a second one of the same', async () => {
  const { wallet, chain } = setting;
  const [validatorId = ''] = chain.view.validatorIds();
  const owner = wallet.account(0);
  const coins = [wallet.coin(4)];
  const heartbeat = (epoch: string) =>
    ({ type: 'heartbeat', data: { validator_id: validatorId, epoch } }) as const;
  const withdraw = { type: 'withdraw', data: { position_id: idOf('nobody') } } as const;
  await refused({ coins, operation: withdraw, operationBy: owner }, 'no_effect', 'operation');
  const terms = { validator_id: validatorId, commission_bps: '510' };
  const commission = { type: 'commission', data: terms } as const;
  const stranger = wallet.account(1);
  await refused(
    { coins, operation: commission, operationBy: stranger },
    'key_mismatch',
    'witnesses[1]',
  );
  await refused({ coins, operation: heartbeat('3') }, 'no_effect', 'operation');
  const pool = await setting.open();
  const first = { coins, operation: heartbeat('0'), operationBy: wallet.validator };
  assert.equal((await pool.submit(wallet.pay(first), 'own')).type, 'accepted');
  const second = { ...first, coins: [wallet.coin(5)] };
  const refusal = refusalOf(await pool.submit(wallet.pay(second), 'own'));
  assert.deepEqual([refusal.code, refusal.path], ['conflict', 'operation']);
  const better = wallet.pay({ ...first, fee: 9n * FEE });
  assert.equal(
    (await pool.submit(better, 'own')).type,
    'accepted',
    'it takes the place of its twin',
  );
  await pool.close();
});

test('delegations to one validator wait beside each other', async () => {
  const { wallet, chain } = setting;
  const [validatorId = ''] = chain.view.validatorIds();
  const owner = wallet.account(0);
  const pool = await setting.open();
  const data = {
    validator_id: validatorId,
    owner_address: owner.text,
    reward_address: owner.text,
    amount: String(100n * ATOMS_PER_COIN),
  };
  for (const index of [6, 7]) {
    const operation = { type: 'bond', data } as const;
    const wire = wallet.pay({ coins: [wallet.coin(index)], operation, operationBy: owner });
    assert.equal((await pool.submit(wire, 'own')).type, 'accepted');
  }
  await pool.close();
});

test('what the chain has executed is known; what it has spent for another is a conflict', async () => {
  const own = await createSetting({ accounts: 3, coinsEach: 4 });
  const { wallet, chain } = own;
  const pool = await own.open();
  const coins = [wallet.coin(0)];
  const wire = wallet.pay({ coins });
  const transaction = chain.transactions.decode(wire);
  await pool.submit(wire, 'own');
  await chain.execute([transaction]);
  assert.equal(pool.size, 0);
  assert.deepEqual(await pool.submit(wire.slice(), 'own'), { type: 'known', id: transaction.id });
  const rival = refusalOf(await pool.submit(wallet.pay({ coins, fee: 3n * FEE }), 'own'));
  assert.deepEqual([rival.code, rival.path], ['conflict', 'inputs[0]']);
  const made = { outpoint: `${transaction.id}00000000`, amount: wallet.coin(0).amount - FEE };
  const spent = { ...made, owner: wallet.account(1) };
  assert.equal((await pool.submit(wallet.pay({ coins: [spent] }), 'own')).type, 'accepted');
  const sameKey = wallet.pay({ coins: [wallet.coin(3)], referenced: true });
  const referenced = await pool.submit(sameKey, 'own');
  assert.equal(referenced.type, 'accepted', JSON.stringify(referenced));
  await pool.close();
  await own.close();
});

test('outputs at the burn address are not spendable', async () => {
  const own = await createSetting({ accounts: 2, coinsEach: 3, burn: true });
  const { wallet } = own;
  const pool = await own.open();
  const last = wallet.coin(wallet.coinCount - 1);
  const refusal = refusalOf(await pool.submit(wallet.pay({ coins: [last] }), 'own'));
  assert.equal(refusal.code, 'unspendable_output');
  await pool.close();
  await own.close();
});

test('while the workers have no room, submissions are told to come later', async () => {
  const { wallet } = setting;
  const workers = new CountingWorkers(setting.checks);
  const pool = await setting.open({ workers });
  workers.isFull = true;
  const wire = wallet.pay({ coins: [wallet.coin(9)] });
  assert.equal(refusalOf(await pool.submit(wire, 'own')).code, 'overloaded');
  workers.isFull = false;
  assert.equal((await pool.submit(wire, 'own')).type, 'accepted');
  await pool.close();
  await assert.rejects(pool.submit(wire, 'own'), /closed/);
});
