/** A node that conceals what a cut did to the wallet: found in that cut, reported, and another node is asked. */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { status } from '../src/methods/wallet.ts';
import type { Wallet } from '../src/wallet.ts';
import { startDaemon } from './testing/daemon.ts';
import { eachList, LyingProxy } from './testing/lying-proxy.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { openWallet, until } from './testing/open-wallet.ts';
import { addressAt, newWords } from './testing/words.ts';

const COIN = 100_000_000n;
const CONCEALED = /does not show all changes of cut \d+ that validators signed/;

describe('a node that conceals', () => {
  let net: TestNetwork;
  let rich: Wallet;
  let asked = 0;
  const ended: (() => void)[] = [];
  const context = { after: (end: () => void) => void ended.push(end) } as never;

  before(async () => {
    await init();
    net = await startTestNetwork();
    await net.network.mine(2);
    const directory = temporaryDirectory(context);
    rich = await openWallet({ directory, words: net.words, service: net.url });
    await rich.catchUp();
  });

  after(async () => {
    await rich.close();
    await net.close();
    for (const end of ended) end();
  });

  /** Pays, and makes cuts until it is final. Returns the height of the cut that has executed it. */
  async function pay(from: Wallet, to: string, follow: Wallet = from): Promise<number> {
    const recipients = [{ to, amount: String(COIN) }];
    const request = { requestId: `pay-${++asked}`, method: 'send_many', params: { recipients } };
    await from.outgoing.perform({ ...request, isAutomatic: false });
    await until('final', async () => {
      await net.network.mine(1);
      await follow.catchUp();
      return follow.state.journal.openCount() === 0;
    });
    return follow.state.cuts.newest()?.height ?? 0;
  }

  async function lyingProxy(t: TestContext): Promise<LyingProxy> {
    const proxy = await LyingProxy.start(net.url);
    t.after(() => proxy.close());
    return proxy;
  }

  /** Has the wallet catch up; returns why it does not go on, and the cut that it stops before. */
  async function refusalOf(wallet: Wallet): Promise<{ message: string; before: number }> {
    const error = await wallet.catchUp().then(
      () => assert.fail('nothing was found'),
      (failure: Error) => failure,
    );
    wallet.scanner.failed(error);
    return { message: error.message, before: wallet.scanner.indexedHeight + 1 };
  }

  test('a concealed deposit and a concealed spending are found in their cut, and nothing counts until they are shown', async (t) => {
    const proxy = await lyingProxy(t);
    const options = { directory: temporaryDirectory(t), words: newWords(), service: proxy.url };
    const wallet = await openWallet(options);
    t.after(() => wallet.close());
    await wallet.catchUp();
    const { address } = wallet.keychain.issue(0, null);
    const height = await pay(rich, address);
    for (const kind of ['received', 'spent']) {
      proxy.tell(eachList((rows) => rows.filter((row) => row.address !== address)));
      const held = wallet.state.outputs.totals().balance;
      const spentIn = kind === 'spent' ? await spendElsewhere(wallet) : height;
      const { before, message } = await refusalOf(wallet);
      assert.equal(before, spentIn, 'every cut before was read');
      assert.match(message, CONCEALED);
      assert.ok(message.includes(`cut ${spentIn} `), `${message}, ${spentIn}`);
      const { scan } = status(wallet, {}, {} as never) as Awaited<ReturnType<typeof status>>;
      assert.equal(scan.last_error, message);
      assert.throws(() => wallet.history.expectAgreement(), { kind: 'node_not_believed' });
      assert.equal(wallet.state.outputs.totals().balance, held);
      proxy.tellTruth();
      await wallet.catchUp();
      wallet.history.expectAgreement();
    }
    assert.ok(wallet.state.outputs.totals().balance < COIN);

    /** The words of the wallet pay at another node. */
    async function spendElsewhere({ state }: Wallet): Promise<number> {
      const directory = temporaryDirectory(t);
      const other = await openWallet({ directory, words: options.words, service: net.url });
      t.after(() => other.close());
      await other.catchUp();
      const recipients = [{ to: rich.keychain.first().address, amount: String(COIN / 2n) }];
      const request = { requestId: 'elsewhere', method: 'send_many', params: { recipients } };
      await other.outgoing.perform({ ...request, isAutomatic: false });
      await until('spent', async () => {
        await net.network.mine(1);
        await other.catchUp();
        return other.state.journal.openCount() === 0;
      });
      assert.equal(state.outputs.totals().outputCount, 1);
      return other.scanner.indexedHeight;
    }
  });

  test('a daemon asks another node from then on', async (t) => {
    const proxy = await lyingProxy(t);
    const daemon = await startDaemon({
      directory: temporaryDirectory(t),
      service: proxy.url,
      otherServices: [net.url],
    });
    t.after(() => daemon.close());
    await until('followed', () => daemon.running.wallet.scanner.hasReachedHead);
    const { address } = await daemon.call('new_address', {});
    proxy.tell(eachList((rows) => rows.filter((row) => row.address !== address)));
    assert.equal((await daemon.call('status', {})).node_url, proxy.url);
    await pay(rich, address);
    await until('credited', async () => {
      return (await daemon.call('balance', {})).balance === '1.00000000';
    });
    const { node_url, scan } = await daemon.call('status', {});
    assert.deepEqual([node_url, scan.last_error], [net.url, null]);
    const to = rich.keychain.first().address;
    const sent = await daemon.call('send', { to, amount: '0.5', request_id: 'at-the-other-node' });
    assert.equal(sent.submitted, true);
    await until('seen', async () => {
      await net.network.mine(1);
      return (await daemon.call('pending', {})).transactions.length === 0;
    });
  });

  test('a restored wallet can pay with what its addresses are proven to hold, before its past is proven', async (t) => {
    const words = newWords();
    const address = addressAt(words, 0);
    await pay(rich, address);
    const proxy = await lyingProxy(t);
    const invented = { transaction_id: 'ef'.repeat(48), output_index: 0 };
    proxy.tell((document, path) => {
      const lie = eachList((rows) =>
        rows.flatMap((row) =>
          row.address === address
            ? [row, { ...row, transaction_id: invented.transaction_id, outpoint: invented }]
            : [row],
        ),
      );
      return path === '/v1/address/changes' ? lie(document, path) : document;
    });
    const wallet = await openWallet({
      directory: temporaryDirectory(t),
      words,
      service: proxy.url,
    });
    t.after(() => wallet.close());
    await wallet.scanner.catchUp();
    const { journal, outputs } = wallet.state;
    assert.deepEqual(outputs.totals().balance, COIN, 'what was invented does not count');
    assert.equal(wallet.scanner.isRestoring, false);
    assert.deepEqual(outputs.receivedAfter(0, Number.MAX_SAFE_INTEGER, 9), [], 'nothing is told');
    const recipients = [{ to: rich.keychain.first().address, amount: String(COIN / 2n) }];
    const request = { requestId: 'restored', method: 'send_many', params: { recipients } };
    await wallet.outgoing.perform({ ...request, isAutomatic: false });
    assert.equal(journal.openCount(), 1);
    const message = /says that cut \d+ has received .+ changes that validators signed lack it/;
    await assert.rejects(wallet.catchUp(), { kind: 'node_not_believed', message });
    proxy.tellTruth();
    await until('proven', async () => {
      await net.network.mine(1);
      await wallet.catchUp();
      return wallet.scanner.rescanProgress === null && journal.openCount() === 0;
    });
    const told = outputs.receivedAfter(0, Number.MAX_SAFE_INTEGER, 9);
    assert.deepEqual(
      told.map((each) => [each.address, each.amount, each.height > 0]),
      [[address, COIN, true]],
    );
  });
});
