import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SILENT_LOG } from 'svc-base/pure';
import { LightPow, PowPeriods } from 'svc-mining/pow';
import { fromHex } from 'svc-wasm/base';
import { createMiningKit, type MiningKit } from '../mining/testing/mining-kit.ts';
import { DevMiner, type DevMinerOptions } from './dev-miner.ts';

async function open(t: TestContext, options: Partial<DevMinerOptions> = {}) {
  const mining = await createMiningKit(t);
  const { chain, pool } = mining.kit;
  const { parameters } = chain;
  const periods = new PowPeriods({ chainId: fromHex(chain.chainId), parameters });
  const searcher = new LightPow(periods);
  const { templates } = mining.ports;
  const ports = { chain, templates, blocks: pool, searcher, log: SILENT_LOG };
  const miner = new DevMiner(ports, { payout: chain.address(7), ...options });
  t.after(async () => {
    await miner.close();
    await searcher.close();
  });
  return { mining, miner };
}

async function untilWaiting({ kit }: MiningKit, count: number): Promise<void> {
  while (kit.pool.registrable(kit.chain.head.height + 1).length < count) await sleep(2);
}

test('the miner mines on demand, carries what waits, and pays whom it is told', async (t) => {
  const { mining, miner } = await open(t);
  const { chain, pool } = mining.kit;
  const id = await mining.pay(0);
  const ids = await miner.mine(3);
  assert.equal(new Set(ids).size, 3);
  for (const block of ids) {
    assert.equal(pool.get(block)?.block.payoutAddress, chain.address(7));
    assert.equal(pool.get(block)?.minerTag, 'dev miner');
  }
  assert.ok(ids.includes(String(pool.carrying(id)?.block.id)));
  const later = await mining.pay(1);
  const [next] = await miner.mine(1);
  assert.equal(pool.carrying(later)?.block.id, next, 'what came since is in the next block');
  await chain.cut(pool.registrable(1));
  const { result } = await chain.cut();
  assert.deepEqual(
    result.events.outcomes.map(({ kind }) => kind),
    ['finalized', 'finalized'],
  );
});

test('a miner that rests mines on demand alone, and goes on when it is told', async (t) => {
  const { mining, miner } = await open(t);
  const { chain, pool } = mining.kit;
  miner.rest(true);
  miner.start();
  const ids = await miner.mine(2);
  assert.deepEqual(
    pool
      .registrable(1)
      .map(({ block }) => block.id)
      .toSorted(),
    ids.toSorted(),
  );
  miner.rest(false);
  await untilWaiting(mining, 2 + chain.parameters.workBlocksTarget);
});

test('it keeps up its number of blocks for every cut', async (t) => {
  const { mining, miner } = await open(t);
  const { chain, pool } = mining.kit;
  miner.start();
  for (let height = 1; height <= 4; height++) {
    await untilWaiting(mining, 2);
    await sleep(10);
    const blocks = pool.registrable(height);
    assert.equal(blocks.length, chain.parameters.workBlocksTarget);
    assert.deepEqual(new Set(blocks.map(({ block }) => block.anchorHeight)), new Set([height - 1]));
    await chain.cut(blocks);
  }
  await miner.close();
  await assert.rejects(miner.mine(1), /closed/);
});
