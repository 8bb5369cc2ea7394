/**
 * Cases of a past that is read once more in which something else happens: change that was signed elsewhere, a node that
 * conceals or is behind, a death at every commit.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { addressFromPublicKey, init, WalletRoot } from 'svc-wasm';
import { RESCAN_POINTS } from '../src/journal/crash-points.ts';
import { addresses, newAddress } from '../src/methods/addresses.ts';
import { received } from '../src/methods/incoming.ts';
import { COMMAND_LINE } from '../src/methods/method.ts';
import { ADDRESSES_PER_REQUEST } from '../src/scan/past.ts';
import { openState } from '../src/state/open-state.ts';
import { beginRestore } from '../src/state/readings.ts';
import { Wallet } from '../src/wallet.ts';
import { bundleDaemon, CrashProcess } from './crash/crash-process.ts';
import { fastClock } from './testing/fast-clock.ts';
import { eachList, LyingProxy } from './testing/lying-proxy.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { openWallet, until } from './testing/open-wallet.ts';
import { addressAt, newWords } from './testing/words.ts';

const COIN = 100_000_000n;
const TURNS_MAX = 40;

let net: TestNetwork;
let rich: Wallet;
let asked = 0;
const ended: (() => void)[] = [];
const context = { after: (end: () => void) => void ended.push(end) } as never;

async function pay(from: Wallet, to: readonly string[], amount = COIN): Promise<void> {
  const recipients = to.map((address) => ({ to: address, amount: String(amount) }));
  const request = { requestId: `case-${++asked}`, method: 'send_many', params: { recipients } };
  await from.outgoing.perform({ ...request, isAutomatic: false });
  await until('decided', async () => {
    await net.network.mine(1);
    await from.catchUp();
    return from.state.journal.openCount() === 0;
  });
}

async function open(t: TestContext, words: string, service = net.url): Promise<Wallet> {
  const wallet = await openWallet({ directory: temporaryDirectory(t), words, service });
  t.after(() => wallet.close());
  await wallet.catchUp();
  return wallet;
}

/** A wallet without keys. */
async function watch(directory: string, watched: readonly string[]): Promise<Wallet> {
  const identity = { fingerprint: '00'.repeat(8), network: 'development' } as const;
  return await Wallet.open({
    state: openState(join(directory, 'wallet'), identity, 'test'),
    ...{ root: null, network: 'development', log: SILENT_LOG, service: net.url },
    ...{ fixed: { addresses: watched, policy: null }, clock: fastClock(10_000) },
  });
}

function told({ state }: Wallet): string[] {
  return state.outputs.receivedAfter(0, Number.MAX_SAFE_INTEGER, 99).map(({ address }) => address);
}

describe('cases of a past that is read once more', () => {
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

  test('an address that is added has its past read, and nobody is accused meanwhile', async (t) => {
    const words = newWords();
    const [a, b, c] = [0, 1, 2].map((index) => addressAt(words, index)) as [string, string, string];
    await pay(rich, [a, c]);
    const directory = temporaryDirectory(t);
    const first = await watch(directory, [a, b]);
    await first.catchUp();
    await first.close();
    const wallet = await watch(directory, [a, b, c]);
    t.after(() => wallet.close());
    const listed = await addresses(wallet, {}, COMMAND_LINE);
    assert.equal(listed.addresses.length, 3, 'an address that was given out is listed');
    const generation = wallet.state.meta.get('generation');
    for (let turns = 0; turns < 4; turns++) {
      await net.network.mine(1);
      await wallet.catchUp();
      wallet.history.expectAgreement();
    }
    assert.equal(wallet.state.meta.get('generation'), generation, 'nothing was read anew');
    assert.deepEqual(told(wallet).sort(), [a, c].sort());
  });

  test('change that was signed elsewhere is no payment, in whichever order it is found', async (t) => {
    const words = newWords();
    const owner = await open(t, words);
    const paid = owner.keychain.issue(0, null).address;
    await pay(rich, [paid]);
    await owner.catchUp();
    const directory = temporaryDirectory(t);
    const first = await watch(directory, [paid]);
    await first.catchUp();
    await pay(owner, [rich.keychain.first().address], COIN / 2n);
    await first.catchUp();
    await first.close();
    const change = addressAt(words, 0, 1);
    const added = await watch(directory, [paid, change]);
    t.after(() => added.close());
    for (let turns = 0; turns < 2; turns++) {
      await added.catchUp();
      await net.network.mine(1);
    }
    assert.deepEqual(told(added), [paid]);
    const other = temporaryDirectory(t);
    const changeFirst = await watch(other, [change]);
    await changeFirst.catchUp();
    await changeFirst.close();
    const both = await watch(other, [change, paid]);
    t.after(() => both.close());
    await both.catchUp();
    assert.deepEqual(told(both), [paid], 'what was taken for a payment is change');
    assert.equal(both.state.outputs.totals().outputCount, 1);
  });

  test('a lie about the past is forgotten when everything is read before anything counts', async (t) => {
    const wallet = await open(t, newWords());
    const { address } = wallet.keychain.issue(0, null);
    await pay(rich, [address]);
    await wallet.catchUp();
    wallet.rescan(undefined);
    wallet.history.disbelieve('a lie about the past', { of: 'past' });
    assert.throws(() => wallet.history.expectAgreement(), { kind: 'node_not_believed' });
    wallet.state.database.transaction(() => beginRestore(wallet.state));
    await wallet.catchUp();
    assert.equal(wallet.scanner.rescanProgress, null);
    wallet.history.expectAgreement();
  });

  test('a node that lies about part of the past is not believed before all of it was read', async (t) => {
    const proxy = await LyingProxy.start(net.url);
    t.after(() => proxy.close());
    const wallet = await open(t, newWords(), proxy.url);
    const { address } = wallet.keychain.issue(0, null);
    await pay(rich, [address]);
    await wallet.catchUp();
    wallet.state.outputs.undoAbove(0);
    const lie = eachList((rows) => rows.filter((row) => row.address !== address));
    proxy.tell((document, path) =>
      path === '/v1/address/changes' ? lie(document, path) : document,
    );
    wallet.rescan(undefined);
    await assert.rejects(wallet.catchUp(), { kind: 'node_not_believed' });
    await wallet.scanner.catchUp();
    assert.equal(await wallet.scanner.readPartAgain(), true, 'the first part is no lie');
    assert.throws(() => wallet.history.expectAgreement(), { kind: 'node_not_believed' });
    proxy.tellTruth();
    // The batch was begun while the node lied.
    await assert.rejects(wallet.catchUp(), { kind: 'node_not_believed' });
    await wallet.catchUp();
    wallet.history.expectAgreement();
    assert.equal(wallet.state.outputs.totals().balance, COIN);
  });

  test('a node that is behind the wallet does not end it', async (t) => {
    const words = newWords();
    await pay(rich, [addressAt(words, 1), addressAt(words, 40)]);
    const proxy = await LyingProxy.start(net.url);
    t.after(() => proxy.close());
    const wallet = await open(t, words, proxy.url);
    proxy.tell((document, path) => {
      if (path === '/v1/node/sync') return { ...document, finalized_height: 1, synced: false };
      if (path !== '/v1/address/changes') return document;
      const changes = document['changes'] as { finalized_height: number }[];
      const early = changes.filter(({ finalized_height }) => finalized_height <= 1);
      return { ...document, indexed_height: 1, changes: early };
    });
    wallet.rescan(60);
    await assert.rejects(wallet.catchUp(), { kind: 'node_not_synced' });
    assert.notEqual(wallet.scanner.rescanProgress, null);
    proxy.tellTruth();
    await wallet.catchUp();
    assert.equal(wallet.state.outputs.totals().balance, 2n * COIN);
  });

  test('no address is given out while used ones are looked for beyond those that are known', async (t) => {
    const words = newWords();
    await pay(rich, [addressAt(words, 1), addressAt(words, 40)]);
    const wallet = await open(t, words);
    const ask = (): unknown => newAddress(wallet, {}, COMMAND_LINE);
    wallet.rescan(undefined);
    ask();
    wallet.rescan(60);
    await wallet.scanner.catchUp();
    await wallet.scanner.readPartAgain();
    assert.ok(wallet.state.addresses.unscannedCount() > 0, 'they may have a past');
    assert.throws(ask, { kind: 'rescanning' });
    await wallet.catchUp();
    assert.equal((ask() as { index: number }).index, 41);
  });

  test('a coin that was spent is not free in between, however much the node tells at once', async (t) => {
    const words = newWords();
    const owner = await open(t, words);
    const paid = owner.keychain.issue(0, null).address;
    await pay(rich, [paid]);
    await owner.catchUp();
    await pay(owner, [rich.keychain.first().address], COIN / 2n);
    const proxy = await LyingProxy.start(net.url);
    t.after(() => proxy.close());
    const directory = temporaryDirectory(t);
    const first = await watch(directory, [addressAt(words, 9)]);
    await first.catchUp();
    await first.close();
    const wallet = await watch(directory, [addressAt(words, 9), paid]);
    t.after(() => wallet.close());
    await wallet.scanner.catchUp();
    const { addressChanges } = wallet.node.client;
    t.mock.method(wallet.node.client, 'addressChanges', (input: object) =>
      addressChanges({ ...input, limit: 1 } as never),
    );
    let parts = 0;
    while (await wallet.scanner.readPartAgain()) {
      assert.equal(wallet.state.outputs.totals().balance, 0n, `after part ${++parts}`);
    }
    assert.ok(parts > 2);
    assert.deepEqual(told(wallet), [paid]);
  });

  test('change at one of many watched addresses is told to nobody, however late it is recognised', async (t) => {
    const words = newWords();
    const owner = await open(t, words);
    const paid = owner.keychain.issue(0, null).address;
    await pay(rich, [paid]);
    await owner.catchUp();
    await pay(owner, [rich.keychain.first().address], COIN / 2n);
    using root = WalletRoot.fromMnemonic(words, '', 'development');
    const others = Array.from({ length: ADDRESSES_PER_REQUEST }, (_, at) =>
      addressFromPublicKey(root.derivePublicKey(0, 0, 100 + at), 'development'),
    );
    const directory = temporaryDirectory(t);
    const first = await watch(directory, others);
    await first.catchUp();
    await first.close();
    const further = others.map((_, at) =>
      addressFromPublicKey(root.derivePublicKey(0, 0, 300 + at), 'development'),
    );
    const all = [...others, addressAt(words, 0, 1), ...further, paid];
    const wallet = await watch(directory, all);
    t.after(() => wallet.close());
    await wallet.scanner.catchUp();
    let parts = 0;
    while (await wallet.scanner.readPartAgain()) {
      if (++parts > 3) continue;
      await net.network.mine(1);
      await wallet.scanner.catchUp();
      const indexed = wallet.scanner.indexedHeight;
      const early = wallet.state.outputs.receivedAfter(0, indexed, 9).map(({ address }) => address);
      assert.deepEqual(early, []);
    }
    assert.ok(parts > 3);
    await net.network.mine(1);
    await wallet.scanner.catchUp();
    assert.deepEqual(told(wallet), [paid]);
  });

  test('a cut that is being read while addresses are derived brings what they were paid', async (t) => {
    const words = newWords();
    const late = addressAt(words, 80);
    await pay(rich, [addressAt(words, 1), addressAt(words, 30)]);
    const wallet = await open(t, words);
    const { scanner, state } = wallet;
    wallet.rescan(60);
    while (state.outputs.totals().balance < 2n * COIN) await scanner.readPartAgain();
    assert.ok(state.addresses.find(late) === undefined);
    await pay(rich, [late]);
    const { client } = wallet.node;
    const { cutChanges, cutLeaves } = client;
    const [isRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    t.mock.method(client, 'cutLeaves', async (asked: { height: number }) => {
      const page = await cutLeaves(asked);
      const { changes } = await cutChanges({ height: asked.height });
      if (changes.some(({ address }) => address === late)) {
        isRead.resolve();
        await mayGoOn.promise;
      }
      return page;
    });
    const caughtUp = scanner.catchUp();
    await isRead.promise;
    const readAgain = (async () => {
      while (await scanner.readPartAgain());
    })();
    await until('derived', () => state.addresses.find(late) !== undefined);
    for (let turns = 0; turns < 50 && scanner.rescanProgress !== null; turns++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    mayGoOn.resolve();
    await Promise.all([caughtUp, readAgain]);
    await wallet.catchUp();
    assert.equal(state.outputs.totals().balance, 3n * COIN);
  });

  test('a payment that a node kept back while the wallet was away is told of to who has stored a height above it', async (t) => {
    const proxy = await LyingProxy.start(net.url);
    t.after(() => proxy.close());
    const options = { directory: temporaryDirectory(t), words: newWords(), service: proxy.url };
    const wallet = await openWallet({ ...options, cutsFollowedMax: 0 });
    t.after(() => wallet.close());
    await wallet.catchUp();
    const { scanner, state } = wallet;
    const { address } = wallet.keychain.issue(0, null);
    await pay(rich, [address]);
    await net.network.mine(state.addresses.count() + 2);
    await rich.catchUp();
    proxy.tell(eachList((rows) => rows.filter((row) => row.address !== address)));
    await assert.rejects(wallet.catchUp(), {
      kind: 'node_not_believed',
      message: /conceals a payment of 1\.0/,
    });
    assert.equal(state.outputs.totals().balance, 0n);
    const since = scanner.indexedHeight;
    proxy.tellTruth();
    await wallet.catchUp();
    assert.equal(state.outputs.totals().balance, COIN);
    await net.network.mine(1);
    await wallet.catchUp();
    const { payments } = await received(wallet, { since_height: since }, COMMAND_LINE);
    assert.deepEqual(
      payments.map((payment) => [payment.address, payment.amount, payment.height <= since]),
      [[address, '1.00000000', true]],
    );
  });

  test('a daemon that dies before any of its commits goes on, and tells each payment once', async (t) => {
    const directory = temporaryDirectory(t);
    const program = await bundleDaemon(directory);
    const words = newWords();
    const expected = [1, 30, 65, 95];
    await pay(
      rich,
      expected.map((index) => addressAt(words, index)),
    );
    const start = async (crashAt: string | null): Promise<CrashProcess> => {
      const file = join(directory, 'crash-wallet');
      const options = { file, words, service: net.url, crashAt, changeAddresses: null };
      return await CrashProcess.start(program, options);
    };
    const statusOf = async (daemon: CrashProcess) => (await daemon.call('status', {})).result ?? {};
    let daemon = await start(null);
    t.after(() => daemon.kill());
    await until('followed', async () => Number((await statusOf(daemon))['indexed_height']) > 0);
    const seen: string[] = [];
    let since = 0;
    const ask = async (): Promise<void> => {
      const { result = {} } = await daemon.call('received', { since_height: since });
      for (const { address } of (result['payments'] ?? []) as { address: string }[])
        seen.push(address);
      since = Number(result['indexed_height'] ?? since);
    };
    await until('the first', async () => {
      await ask();
      return seen.length === 1;
    });
    let deaths = 0;
    for (const [at, point] of [...RESCAN_POINTS, ...RESCAN_POINTS].entries()) {
      await daemon.crashAt(point);
      await daemon.call('rescan', { gap: 40 + 10 * at });
      for (let turns = 0; turns < TURNS_MAX && !daemon.hasEnded; turns++) {
        await net.network.mine(1);
        await Promise.race([daemon.ended, new Promise((resolve) => setTimeout(resolve, 100))]);
        if (!daemon.hasEnded && (await statusOf(daemon))['rescan'] === null) break;
      }
      if (daemon.hasEnded) deaths++;
      await daemon.kill();
      daemon = await start(null);
      await until('read', async () => {
        await net.network.mine(1);
        await ask();
        return (await statusOf(daemon))['rescan'] === null;
      });
    }
    await net.network.mine(1);
    await until('told', async () => {
      await ask();
      return seen.length >= expected.length;
    });
    assert.ok(deaths >= 4, `${deaths} deaths`);
    assert.deepEqual(seen.sort(), expected.map((index) => addressAt(words, index)).sort());
  });
});
