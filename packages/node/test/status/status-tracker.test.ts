/**
 * What became of a transaction, from its first sight to its end, with a real chain and a real mempool.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isFinalStatus, TransactionStatusEntry } from 'svc-api';
import type { PooledBlock } from 'svc-serve/ports';
import type { ChainReader } from 'svc-storage';
import { Value } from 'typebox/value';
import { StatusTracker } from '../../src/status/status-tracker.ts';
import { FixtureBlocks } from '../../src/testing/fixture-blocks.ts';
import { createSetting } from '../mempool/testing/setting.ts';
import type { TestBlock } from '../mempool/testing/test-chain.ts';
import { FEE } from '../mempool/testing/test-wallet.ts';

let coin = 0;
const changed: string[] = [];

const setting = await createSetting({ accounts: 4, coinsEach: 12 });
const limits = { transactions: 3, bytes: 1 << 20, mass: 10n ** 9n };
const pool = await setting.open({ limits });
const blocks = new FixtureBlocks(setting.chain);
const tracker = new StatusTracker({ chain: setting.chain, mempool: pool, blocks });
tracker.changed.on((id) => void changed.push(id));
after(async () => {
  tracker.close();
  await pool.close();
  await setting.close();
});

async function statusOf(
  id: string,
  reader: ChainReader = setting.chain.reader(),
): Promise<TransactionStatusEntry | null> {
  const [status = null] = await tracker.of([id], reader);
  await reader.close();
  if (status !== null) Value.Assert(TransactionStatusEntry, status);
  return status;
}

/** A block that waits; the chain can register and execute it. */
function carry(...wires: Uint8Array[]): TestBlock {
  const block = setting.chain.block(wires.map((wire) => setting.chain.transactions.decode(wire)));
  const { id, transactions } = block;
  blocks.hold({ block: { id }, transactions } as unknown as PooledBlock);
  return block;
}

function payment(options: { fee?: bigint; validFrom?: number; validUntil?: number } = {}) {
  const coins = [setting.wallet.coin(coin++)];
  const wire = setting.wallet.pay({ coins, ...options });
  return { wire, coins, id: setting.chain.transactions.decode(wire).id };
}

const stageOf = (status: TransactionStatusEntry | null) => [
  status?.lifecycle ?? null,
  status?.failure ?? null,
  status?.observed_work?.block_id ?? null,
  status?.registered_cut?.height ?? null,
  status?.finalized_cut?.height ?? null,
];

test('[STATUS-03] [STATUS-04] [STATUS-05] [STATUS-06] [LIFE-01] [LIFE-02] [LIFE-03] [LIFE-04] a payment goes from the mempool into a block, a cut, and is final', async () => {
  const { chain } = setting;
  const { wire, id } = payment();
  assert.equal(await statusOf(id), null);
  await pool.submit(wire, 'own');
  assert.deepEqual(stageOf(await statusOf(id)), ['processing', null, null, null, null]);
  const block = carry(wire);
  assert.deepEqual(stageOf(await statusOf(id)), ['receiving', null, block.id, null, null]);
  const { height } = await chain.cut([block]);
  assert.deepEqual(stageOf(await statusOf(id)), ['registered', null, block.id, height, null]);
  await chain.cut();
  const last = await statusOf(id);
  assert.deepEqual(stageOf(last), ['finalized', null, block.id, height, height + 1]);
  assert.equal(last?.finalized_cut?.cut_id, chain.head.cutId);
  assert.equal(last?.finalized_cut?.state_root, chain.head.stateRoot);
  assert.ok(last !== null && isFinalStatus(last));
  assert.ok(changed.filter((each) => each === id).length >= 4);
});

test('[STATUS-07] [LIFE-05] [LIFE-06] a conflict or an expiry in a finalized cut is final, carried or not', async () => {
  const { chain, wallet } = setting;
  const [loser, carried, short] = [
    payment(),
    payment(),
    payment({ validUntil: chain.head.height + 2 }),
  ];
  for (const { wire } of [loser, short]) await pool.submit(wire, 'own');
  const winner = wallet.pay({ coins: loser.coins, fee: 2n * FEE });
  const rival = wallet.pay({ coins: carried.coins, fee: 2n * FEE });
  const block = carry(winner, rival, carried.wire);
  await chain.cut([block]);
  const { height } = await chain.cut();
  const statuses = await Promise.all([loser, carried, short].map(({ id }) => statusOf(id)));
  assert.deepEqual(statuses.map(stageOf), [
    ['failed', 'conflict', null, null, height],
    ['failed', 'conflict', block.id, height - 1, height],
    ['failed', 'expired', null, null, height],
  ]);
  assert.ok(statuses.every((status) => status !== null && isFinalStatus(status)));
});

test('[STATUS-07] [LIFE-05] what was pushed out is dropped, and processing again once it is back', async () => {
  const entries = [payment(), payment(), payment()];
  for (const { wire } of entries) await pool.submit(wire, 'relayed');
  const better = payment({ fee: 3n * FEE });
  await pool.submit(better.wire, 'own');
  const dropped = entries.find(({ id }) => pool.get(id) === undefined);
  assert.ok(dropped !== undefined);
  const status = await statusOf(dropped.id);
  assert.deepEqual(stageOf(status), ['failed', 'dropped', null, null, null]);
  assert.ok(status !== null && !isFinalStatus(status));
  assert.equal((await pool.submit(dropped.wire, 'own')).type, 'accepted');
  assert.deepEqual(stageOf(await statusOf(dropped.id)), ['processing', null, null, null, null]);
  const rest = [...pool.all()].map(({ transaction }) => transaction);
  await setting.chain.execute(rest);
});

test('[STATUS-07] [LIFE-05] invalid and without effect are failures that are not final, and end when a block carries the transaction again', async () => {
  const { chain, wallet } = setting;
  const [validatorId = ''] = chain.view.validatorIds();
  const data = { validator_id: validatorId, epoch: '0' };
  const operation = { type: 'heartbeat', data } as const;
  const beat = () =>
    wallet.pay({ coins: [wallet.coin(coin++)], operation, operationBy: wallet.validator });
  const [first, second] = [beat(), beat()];
  const forged = wallet.pay({ coins: [wallet.coin(coin++)], spoiled: true });
  const block = carry(first, second, forged);
  await chain.cut([block]);
  const { height } = await chain.cut();
  const ids = [second, forged].map((wire) => chain.transactions.decode(wire).id);
  const statuses = await Promise.all(ids.map((id) => statusOf(id)));
  assert.deepEqual(statuses.map(stageOf), [
    ['failed', 'no_effect', block.id, height - 1, height],
    ['failed', 'invalid', block.id, height - 1, height],
  ]);
  assert.ok(statuses.every((status) => status !== null && !isFinalStatus(status)));
  const again = carry(second, forged);
  for (const id of ids)
    assert.deepEqual(stageOf(await statusOf(id)), ['receiving', null, again.id, null, null]);
  await chain.cut([again]);
  await chain.cut();
});

test('a transaction that a block carried too early waits on', async () => {
  const { chain } = setting;
  const { wire, id } = payment({ validFrom: chain.head.height + 5 });
  await pool.submit(wire, 'own');
  await chain.cut([carry(wire)]);
  await chain.cut();
  assert.deepEqual(stageOf(await statusOf(id)), ['processing', null, null, null, null]);
});

/** A reader that has read the status, and goes on when there are newer cuts. */
async function midway(id: string): Promise<ChainReader> {
  const reader = setting.chain.reader();
  const records = await reader.statuses([id]);
  return new Proxy(reader, {
    get(target, name) {
      if (name === 'statuses') return async () => records;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

test('[STATUS-07] a reader that the head leaves behind shows what was true there, never nothing', async () => {
  const { chain } = setting;
  const { wire, id } = payment();
  const { wire: late, id: lateId } = payment({ validUntil: chain.head.height + 2 });
  await pool.submit(wire, 'own');
  await pool.submit(late, 'own');
  const beforeAll = await midway(id);
  const block = carry(wire);
  const { height } = await chain.cut([block]);
  const between = [await midway(id), await midway(lateId)] as const;
  await chain.cut();
  assert.deepEqual(stageOf(await statusOf(id, beforeAll)), [
    'receiving',
    null,
    block.id,
    null,
    null,
  ]);
  assert.deepEqual(stageOf(await statusOf(id, between[0])), [
    'registered',
    null,
    block.id,
    height,
    null,
  ]);
  assert.deepEqual(stageOf(await statusOf(lateId, between[1])), [
    'processing',
    null,
    null,
    null,
    null,
  ]);
  assert.equal((await statusOf(lateId))?.failure, 'expired');
});

test('a batch keeps the order of its ids and has nothing for those it does not know', async () => {
  const { chain } = setting;
  const { wire, id } = payment();
  await pool.submit(wire, 'own');
  const reader = chain.reader();
  const unknown = 'f'.repeat(96);
  const statuses = await tracker.of([unknown, id, unknown], reader);
  await reader.close();
  assert.deepEqual(
    statuses.map((status) => status?.transaction_id ?? null),
    [null, id, null],
  );
});
