/**
 * A daemon that keeps a float: one refill becomes many coins, and as many payments go out without a cut in between.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { refused, startDaemon } from '../testing/daemon.ts';
import { following, requestId, type World } from './world.ts';

const COINS = 12;

export function testFloating(world: World): void {
  test('one refill becomes a float, which pays without waiting, is filled again, and is left by a sweep', async (t) => {
    const { net, rich } = world;
    const hot = await startDaemon({
      directory: temporaryDirectory(t),
      service: net.url,
      float: { count: COINS, amount: 100_000_000n },
      onCall: world.onCall,
    });
    t.after(() => hot.close());
    await following(hot);
    const { address } = await hot.call('new_address', {});
    await rich.call('send', { to: address, amount: '60', request_id: requestId() });
    /** One output more than the float: what is left over is none of it. */
    const isWhole = async (): Promise<boolean> => {
      const { float, open_transactions } = await hot.call('status', {});
      const { outputs } = await hot.call('outputs', { limit: 1_000 });
      const large = outputs.filter(({ amount, reserved }) => !reserved && Number(amount) >= 1);
      return open_transactions === 0 && float?.free === COINS && large.length > COINS;
    };
    await world.until('the float is whole', isWhole);
    await world.untilRead(hot);

    const { address: to } = await rich.call('new_address', {});
    const ready = (await hot.call('outputs', { limit: 1_000 })).outputs;
    const pay = () => hot.call('send', { to, amount: '1', request_id: requestId() });
    const tooMuch = { to, amount: '70', request_id: requestId() };
    const poor = refused(-32000, 'insufficient_funds', hot.call('send', tooMuch));
    const sent = await Promise.all(Array.from({ length: COINS }, pay));
    await poor;
    assert.equal(new Set(sent.map(({ transaction }) => transaction)).size, COINS);
    assert.equal((await hot.call('status', {})).open_transactions, COINS);
    const held = (await hot.call('outputs', { limit: 1_000 })).outputs;
    assert.equal(
      held.filter(({ reserved }) => reserved).length,
      COINS,
      'each has a coin of its own',
    );
    await world.until('the float is whole again', isWhole);
    await world.untilRead(hot);
    const paid = (await rich.call('outputs', { address: to, limit: 1_000 })).outputs;
    assert.equal(paid.length, COINS);
    const before = new Set(ready.map(({ transaction }) => transaction));
    const change = (await hot.call('outputs', { limit: 1_000 })).outputs.filter(
      ({ transaction }) => !before.has(transaction),
    );
    const users = Map.groupBy(change, ({ address }) => address).values();
    for (const [first, ...others] of users) {
      const isItsOwn = others.every(({ transaction }) => transaction === first?.transaction);
      assert.ok(isItsOwn, 'each has an address for change of its own');
    }

    const sweep = { to, request_id: requestId() };
    await refused(-32602, 'invalid_params', rich.call('sweep', { ...sweep, leave_float: true }));
    await hot.call('sweep', { ...sweep, leave_float: true });
    await world.until(
      'swept',
      async () => (await hot.call('pending', {})).transactions.length === 0,
    );
    const { outputs } = await hot.call('outputs', { limit: 1_000 });
    assert.equal(outputs.filter(({ amount }) => Number(amount) >= 1).length, COINS);
    assert.ok(outputs.every(({ change }) => change));
  });

  test('split makes outputs of a size on request, and says what is missing', async () => {
    const { rich } = world;
    const request_id = requestId();
    await refused(
      -32000,
      'nothing_to_do',
      rich.call('split', { count: 1, amount: '3', request_id }),
    );
    const count = (await rich.call('balance', {})).outputs + 100;
    const dry = await rich.call('split', { count, amount: '3', request_id, dry_run: true });
    assert.equal(dry.dry_run, true);
    const made = await rich.call('split', { count, amount: '3', request_id });
    assert.deepEqual([made.transactions.length, made.fee], [dry.transactions.length, dry.fee]);
    assert.ok(made.missing > 0 && made.missing < count);
    await world.until('split', async () => {
      return (await rich.call('request', { request_id })).outcome === 'finalized';
    });
    assert.ok((await rich.call('balance', {})).outputs >= count - made.missing);
  });
}
