/** A chain that is taken back and grows again, differently, under a running daemon. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { refused, startDaemon, type TestDaemon } from './testing/daemon.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { until as untilOn } from './testing/open-wallet.ts';

describe('a daemon whose chain was taken back', () => {
  let net: TestNetwork;
  let rich: TestDaemon;
  let shop: TestDaemon;
  let richDirectory: string;
  let shopDirectory: string;
  const ended: (() => void)[] = [];
  const context = { after: (end: () => void) => void ended.push(end) } as never;

  const until = (what: string, holds: () => boolean | Promise<boolean>): Promise<void> =>
    untilOn(what, holds, net);
  const status = (daemon: TestDaemon) => daemon.call('status', {});
  const following = (daemon: TestDaemon): Promise<void> =>
    untilOn('following', async () => (await status(daemon)).scan.phase === 'following');
  const start = (directory: string, isNew: boolean, words?: string): Promise<TestDaemon> =>
    startDaemon({ directory, service: net.url, isNew, ...(words === undefined ? {} : { words }) });

  before(async () => {
    await init();
    net = await startTestNetwork();
    await net.network.mine(2);
    richDirectory = temporaryDirectory(context);
    shopDirectory = temporaryDirectory(context);
    rich = await start(richDirectory, true, net.words);
    shop = await start(shopDirectory, true);
    for (const daemon of [rich, shop]) await following(daemon);
  });

  after(async () => {
    await Promise.all([rich.close(), shop.close()]);
    await net.close();
    for (const end of ended) end();
  });

  test('it stops paying and crediting, tells both stories over restarts, and takes the new one when told', async () => {
    const { address: kept } = await shop.call('new_address', {});
    await rich.call('send', { to: kept, amount: '5', request_id: 'kept' });
    await until('kept', async () => (await shop.call('balance', {})).balance === '5.00000000');
    await following(rich);
    const snapshot = await net.network.snapshot();
    const { address: undone } = await shop.call('new_address', {});
    await rich.call('send', { to: undone, amount: '7.77', request_id: 'undone' });
    await until('seen', async () => (await shop.call('balance', {})).outputs === 2);
    await untilOn(
      'settled',
      async () => (await rich.call('pending', {})).transactions.length === 0,
    );
    await net.network.revert(snapshot);

    await until('noticed', async () => (await status(shop)).contradiction !== null);
    const { contradiction, indexed_height: frozen, scan } = await status(shop);
    assert.notEqual(contradiction?.own_cut_id, contradiction?.node_cut_id);
    assert.match(scan.last_error ?? '', /the node serves/);
    await until('noticed too', async () => (await status(rich)).contradiction !== null);
    await net.network.mine(8);
    assert.equal(
      (await status(shop)).indexed_height,
      frozen,
      'nothing of the other history counts',
    );
    const payment = { to: kept, amount: '1', request_id: 'meanwhile' };
    await refused(-32001, 'other_history', rich.call('send', payment));
    await refused(-32001, 'other_history', shop.call('rescan', {}));
    await refused(
      -32602,
      'invalid_params',
      shop.call('rescan', { accept_history: 'ab'.repeat(48) }),
    );

    await rich.close();
    rich = await start(richDirectory, false);
    const again = await status(rich);
    assert.notEqual(again.contradiction, null, 'a restart forgets nothing');
    await refused(-32001, 'other_history', rich.call('send', payment));

    const accept = async (daemon: TestDaemon): Promise<void> => {
      const { node_cut_id } = (await status(daemon)).contradiction ?? { node_cut_id: '' };
      await daemon.call('rescan', { accept_history: node_cut_id });
      await untilOn('accepted', async () => {
        const { contradiction: left, scan: now } = await status(daemon);
        return left === null && now.phase === 'following';
      });
    };
    await accept(shop);
    assert.equal((await shop.call('balance', {})).balance, '5.00000000', 'what was undone is gone');
    await accept(rich);
    const repeated = rich.call('send', { to: undone, amount: '7.77', request_id: 'undone' });
    const { duplicate } = await repeated;
    assert.equal(duplicate, true);
    await until('paid in the new history', async () => {
      return (await shop.call('balance', {})).balance === '12.77000000';
    });
    await rich.call('send', payment);
    await until('paying again', async () => {
      return (await shop.call('balance', {})).balance === '13.77000000';
    });
    const { payments } = await shop.call('received', { since_height: 0 });
    assert.deepEqual(payments.map(({ amount }) => amount).sort(), [
      '1.00000000',
      '5.00000000',
      '7.77000000',
    ]);
  });
});
