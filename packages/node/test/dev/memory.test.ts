/**
 * Snapshots of a network in memory, whose clock stands still between cuts: what a revert brings back is what there was.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { readLog } from 'svc-base/pure';
import { Caller } from './kit.ts';

const COIN = 100_000_000n;
let caller: Caller;

/** Heartbeats of the validators come and go as they please, so only the named transactions are looked at. */
async function stateNow(named: readonly string[]) {
  const { core } = caller.network.node.composed;
  return {
    head: core.chain.head,
    headTimeMillis: core.chain.headTimeMillis,
    nowMillis: caller.network.node.nowMillis,
    waiting: named.map((id) => core.mempool.get(id)?.receivedAtMillis),
    balances: await Promise.all([0, 1, 2, 3].map((account) => caller.balanceOf(account))),
  };
}

suite('a development network in memory', () => {
  before(async () => {
    caller = await Caller.start({ stateDir: null, memory: true, cutTime: 'manual' });
    await caller.network.mine(2);
  });
  after(() => caller.close());

  test('a revert brings chain, mempool and time back, as often as wanted', async () => {
    const waiting = await caller.pay({ from: 0, to: 1, amount: COIN });
    // The second payment is not valid yet, so that no block carries it before it is dropped.
    const validFrom = caller.height + 20;
    const dropped = await caller.pay({ from: 2, to: 1, amount: COIN, validFrom });
    assert.equal(caller.network.node.composed.core.mempool.drop(dropped), true);
    const name = await caller.network.snapshot();
    const named = [waiting, dropped];
    const taken = await stateNow(named);
    assert.deepEqual(
      taken.waiting.map((receivedAt) => receivedAt !== undefined),
      [true, false],
    );
    const later: bigint[][] = [];
    for (let round = 0; round < 3; round++) {
      const id = await caller.pay({ from: 3, to: 1, amount: 5n * COIN });
      assert.equal((await caller.minedStatus(id)).lifecycle, 'finalized');
      assert.equal((await caller.minedStatus(waiting)).lifecycle, 'finalized');
      const { balances } = await stateNow(named);
      assert.equal((balances[1] ?? 0n) - (taken.balances[1] ?? 0n), 6n * COIN);
      later.push(balances.slice(0, 3));
      assert.equal(await caller.network.revert(name), taken.head.height);
      assert.deepEqual(await stateNow(named), taken, `after revert ${round}`);
      assert.equal((await caller.get(`/v1/transactions/${id}/status`)).status, 404);
    }
    assert.deepEqual(later, Array(3).fill(later[0]));
  });

  test('a validator in memory keeps no cuts of earlier heights, which every revert would read', async () => {
    await caller.network.mine(3);
    const { disks } = caller.network.snapshots;
    const cuts = disks?.parts().validators.get('0')?.logs.get('cuts');
    assert.ok(cuts !== undefined);
    const reading = readLog(cuts);
    assert.ok(reading.type === 'read' && reading.records.length <= 1);
  });

  test('a snapshot does not see what is written after it, nor another snapshot', async () => {
    const first = await caller.network.snapshot();
    const { height } = caller;
    await caller.network.mine(3);
    const second = await caller.network.snapshot();
    await caller.network.mine(2);
    for (const [name, expected] of [
      [first, height],
      [second, height + 3],
      [first, height],
    ] as const)
      assert.equal(await caller.network.revert(name), expected);
    assert.throws(() => caller.network.snapshots.expect('snapshot-99'), RangeError);
  });

  test('requests wait while the node is replaced, and none is lost', async () => {
    const name = await caller.network.snapshot();
    const { height } = caller;
    await caller.network.mine(2);
    const paths = [
      '/v1/chain/head',
      '/v1/dev',
      `/v1/address/${caller.network.accounts[1]}/balance`,
    ];
    let isReverted = false;
    const reverted = caller.network.revert(name).then(() => {
      isReverted = true;
    });
    const statuses: number[] = [];
    while (!isReverted) {
      const answers = await Promise.all(paths.map((path) => caller.get(path)));
      statuses.push(...answers.map(({ status }) => status));
    }
    await reverted;
    assert.deepEqual([...new Set(statuses)], [200]);
    const { body } = await caller.get<{ cut: { height: number } }>('/v1/chain/head');
    assert.deepEqual([body.cut.height, caller.height], [height, height]);
  });

  test('the snapshot route answers when it is taken, and the node goes on', async () => {
    const { starts } = caller.network;
    const { body } = await caller.post<{ snapshot: string; starts: number }>(
      '/v1/dev/snapshot',
      {},
    );
    assert.deepEqual([body.starts, caller.network.starts], [starts, starts]);
    const { height } = caller;
    await caller.network.mine(1);
    assert.equal(await caller.network.revert(body.snapshot), height);
  });
});
