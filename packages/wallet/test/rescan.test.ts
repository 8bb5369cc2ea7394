/**
 * The past that is read once more while everything else goes on: payments, deposits, new addresses, deaths and lies.
 */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { refused, startDaemon, type TestDaemon } from './testing/daemon.ts';
import { fastClock } from './testing/fast-clock.ts';
import { FaultProxy, isOfPast } from './testing/fault-proxy.ts';
import { eachList, LyingProxy } from './testing/lying-proxy.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { until as untilOn } from './testing/open-wallet.ts';
import { addressAt, newWords } from './testing/words.ts';

let net: TestNetwork;
let rich: TestDaemon;
const ended: (() => void)[] = [];
const context = { after: (end: () => void) => void ended.push(end) } as never;

const until = (what: string, holds: () => boolean | Promise<boolean>): Promise<void> =>
  untilOn(what, holds, net);

async function pay(addresses: readonly string[], name: string): Promise<void> {
  const recipients = addresses.map((to) => ({ to, amount: '1' }));
  await rich.call('send_many', { recipients, request_id: name });
  await until('paid', async () => (await rich.call('pending', {})).transactions.length === 0);
}

async function balanceOf(daemon: TestDaemon): Promise<string> {
  return (await daemon.call('balance', {})).balance;
}

/** Whether the past is still unproven: while a restore begins, no rescan is under way yet. */
async function isRescanning(daemon: TestDaemon): Promise<boolean> {
  const { rescan, scan } = await daemon.call('status', {});
  return rescan !== null || scan.phase === 'restoring';
}

/** A daemon that three payments were made to, behind a proxy in front of the node. */
async function startFunded(
  t: TestContext,
  proxy: { readonly url: string; close(): Promise<void> },
  name: string,
) {
  const directory = temporaryDirectory(t);
  const words = newWords();
  const options = { directory, service: proxy.url, clock: fastClock(10) };
  const daemon = await startDaemon({ ...options, words });
  const running = new Set([daemon]);
  t.after(async () => {
    for (const each of running) await each.close();
    await proxy.close();
  });
  const startAgain = async (): Promise<TestDaemon> => {
    await daemon.close();
    const again = await startDaemon({ ...options, isNew: false });
    running.delete(daemon);
    running.add(again);
    await until('followed', () => again.running.wallet.scanner.hasReachedHead);
    return again;
  };
  await until('followed', () => daemon.running.wallet.scanner.hasReachedHead);
  const given: string[] = [];
  for (let count = 0; count < 3; count++)
    given.push((await daemon.call('new_address', {})).address);
  await pay(given, name);
  await until('credited', async () => (await balanceOf(daemon)) === '3.00000000');
  return { daemon, given, startAgain };
}

describe('the past that is read once more', () => {
  before(async () => {
    await init();
    net = await startTestNetwork();
    await net.network.mine(1);
    rich = await startDaemon({
      directory: temporaryDirectory(context),
      service: net.url,
      words: net.words,
    });
    await untilOn('funds', async () => (await balanceOf(rich)) !== '0.00000000');
  });

  after(async () => {
    await rich.close();
    await net.close();
    for (const end of ended) end();
  });

  test('payments, deposits and new addresses go on while it is read', async (t) => {
    const proxy = await FaultProxy.start(net.url);
    const { daemon } = await startFunded(t, proxy, 'beside');
    const socket = await daemon.socket();
    t.after(() => socket.close());
    await socket.call('subscribe', { events: ['resync_required'] });
    const letPass = proxy.holdReads(isOfPast);
    t.after(letPass);
    await daemon.call('rescan', {});
    const { address } = await daemon.call('new_address', {});
    await pay([address], 'beside-deposit');
    await until('credited', async () => (await balanceOf(daemon)) === '4.00000000');
    const to = (await rich.call('new_address', {})).address;
    const sent = await daemon.call('send', { to, amount: '0.5', request_id: 'beside-send' });
    assert.deepEqual([sent.submitted, sent.duplicate], [true, false]);
    await until(
      'settled',
      async () => (await daemon.call('pending', {})).transactions.length === 0,
    );
    const { rescan, scan } = await daemon.call('status', {});
    assert.equal(rescan?.done, 0);
    assert.notEqual(scan.phase, 'restoring');
    const before = await balanceOf(daemon);
    // Another one takes the place of the first.
    await daemon.call('rescan', {});
    letPass();
    await until('read', async () => !(await isRescanning(daemon)));
    assert.equal(await balanceOf(daemon), before);
    const { payments } = await daemon.call('received', { since_height: 0 });
    assert.equal(payments.length, 4);
    const told = socket.of('resync_required').map(({ params }) => params['reason']);
    assert.deepEqual(told, ['rescanned']);
  });

  test('what it finds is told of like a new payment, once', async (t) => {
    const words = newWords();
    await pay([addressAt(words, 0), addressAt(words, 30)], 'found');
    const directory = temporaryDirectory(t);
    const daemon = await startDaemon({ directory, service: net.url, words });
    t.after(() => daemon.close());
    await until('credited', async () => (await balanceOf(daemon)) === '1.00000000');
    await until('proven', async () => !(await isRescanning(daemon)));
    const socket = await daemon.socket();
    t.after(() => socket.close());
    await socket.call('subscribe', { events: ['finalized'] });
    const first = await daemon.call('received', { since_height: 0 });
    const page = { since_height: 0, limit: 1 } as const;
    const pageBefore = await daemon.call('received', { ...page, cursor: '0' });
    assert.deepEqual([first.payments.length, pageBefore.more], [1, false]);

    await daemon.call('rescan', { gap: 60 });
    await until('found', async () => (await balanceOf(daemon)) === '2.00000000');
    await until('told', async () => {
      const since_height = first.indexed_height;
      return (await daemon.call('received', { since_height })).payments.length > 0;
    });
    const since = await daemon.call('received', { since_height: first.indexed_height });
    assert.deepEqual(
      since.payments.map(({ address, height }) => [address, height <= first.indexed_height]),
      [[addressAt(words, 30), true]],
    );
    const all = await daemon.call('received', { since_height: 0 });
    assert.equal(all.payments.length, 2);
    const one = await daemon.call('received', { ...page, cursor: '0' });
    const { next_cursor: cursor = '' } = one;
    const other = await daemon.call('received', { ...page, cursor });
    const named = ({ payments }: typeof all) => payments.map(({ address }) => address);
    assert.deepEqual([...named(one), ...named(other)], named(all));
    await untilOn('event', () => socket.of('finalized').length > 0);
    assert.equal(socket.of('finalized').length, 1);
    await until('read', async () => !(await isRescanning(daemon)));
    assert.equal((await daemon.call('new_address', {})).index, 31, 'used addresses are not given');
  });

  test('it goes on when the daemon starts again', async (t) => {
    const proxy = await FaultProxy.start(net.url);
    const { daemon, startAgain } = await startFunded(t, proxy, 'died');
    const letPass = proxy.holdReads(isOfPast);
    t.after(letPass);
    await daemon.call('rescan', { gap: 70 });
    const again = await startAgain();
    assert.equal(await isRescanning(again), true);
    letPass();
    await until('read', async () => !(await isRescanning(again)));
    assert.equal(await balanceOf(again), '3.00000000');
  });

  test('a node that keeps payments back takes nothing away', async (t) => {
    const proxy = await LyingProxy.start(net.url);
    const { daemon, given } = await startFunded(t, proxy, 'kept-back');
    const concealed = new Set(given);
    const lie = eachList((rows) => rows.filter(({ address = '' }) => !concealed.has(address)));
    proxy.tell((document, path) =>
      path === '/v1/address/changes' ? lie(document, path) : document,
    );
    await daemon.call('rescan', {});
    await until('read', async () => !(await isRescanning(daemon)));
    assert.equal(await balanceOf(daemon), '3.00000000');
    assert.equal((await daemon.call('received', { since_height: 0 })).payments.length, 3);
  });

  test('a node that calls a coin spent is named and not believed, and the coin stays', async (t) => {
    const proxy = await LyingProxy.start(net.url);
    const { daemon } = await startFunded(t, proxy, 'called-spent');
    const { outputs } = await daemon.call('outputs', {});
    const [coin = assert.fail()] = outputs;
    const spent = {
      ...{ address: coin.address, kind: 'spent', amount: '100000000', source: 'regular' },
      outpoint: { transaction_id: coin.transaction, output_index: coin.output },
      ...{ transaction_id: 'ab'.repeat(48), finalized_height: coin.height },
    };
    proxy.tell((document, path) =>
      path === '/v1/address/changes'
        ? { ...document, changes: [...(document['changes'] as object[]), spent] }
        : document,
    );
    await daemon.call('rescan', {});
    await untilOn('named', async () => {
      const { rescan } = await daemon.call('status', {});
      return /changes that validators signed lack it/.test(rescan?.last_error ?? '');
    });
    const params = { to: (await rich.call('new_address', {})).address, amount: '0.5' };
    const send = daemon.call('send', { ...params, request_id: 'while-it-lies' });
    await refused(-32001, 'node_not_believed', send);
    assert.equal(await balanceOf(daemon), '3.00000000');
    proxy.tellTruth();
    await until('read', async () => !(await isRescanning(daemon)));
    assert.equal(await balanceOf(daemon), '3.00000000');
    const sent = await daemon.call('send', { ...params, request_id: 'afterwards' });
    assert.equal(sent.submitted, true);
  });
});
