/** What becomes of payments and coins when a chain is taken back and the other history is accepted. */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { Wallet } from '../src/wallet.ts';
import { eachList, LyingProxy, NotKept } from './testing/lying-proxy.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { openWallet } from './testing/open-wallet.ts';
import { newWords } from './testing/words.ts';

const COIN = 100_000_000n;
const TURNS_MAX = 300;
/** More than it takes to read all cuts of a payment's time. */
const LYING_TURNS = 20;
/** How much later each turn is for the wallets: they do again what they do once in a while. */
const TURN_MILLIS = 10_000;

describe('a wallet that accepts another history', () => {
  let laterMillis = 0;
  const clock: Clock = {
    now: () => SYSTEM_CLOCK.now() + laterMillis,
    monotonic: () => SYSTEM_CLOCK.monotonic() + laterMillis,
    after: (millis, call) => SYSTEM_CLOCK.after(millis, call),
  };
  let net: TestNetwork;
  let rich: Wallet;
  const ended: (() => void)[] = [];
  const context = { after: (end: () => void) => void ended.push(end) } as never;

  before(async () => {
    await init();
    net = await startTestNetwork();
    await net.network.mine(2);
    const directory = temporaryDirectory(context);
    const options = { words: net.words, service: net.url, clock };
    rich = await openWallet({ directory, ...options });
    await rich.catchUp();
  });

  after(async () => {
    await rich.close();
    await net.close();
    for (const end of ended) end();
  });

  async function newWallet(t: TestContext, service = net.url): Promise<Wallet> {
    const words = newWords();
    const options = { words, service, clock };
    const wallet = await openWallet({ directory: temporaryDirectory(t), ...options });
    t.after(() => wallet.close());
    await wallet.catchUp();
    return wallet;
  }

  /** Makes a cut, which these wallets read. */
  async function turn(wallets: readonly Wallet[]): Promise<void> {
    await net.network.mine(1);
    laterMillis += TURN_MILLIS;
    for (const wallet of wallets) await wallet.catchUp();
  }

  /** Makes cuts until something holds; each is read by these wallets. */
  async function mineUntil(
    what: string,
    wallets: readonly Wallet[],
    holds: () => boolean,
  ): Promise<void> {
    for (let turns = 0; turns < TURNS_MAX; turns++) {
      if (holds()) return;
      await turn(wallets);
    }
    assert.fail(`never: ${what}`);
  }

  const address = (wallet: Wallet): string => wallet.keychain.issue(0, null).address;

  const pay = (wallet: Wallet, requestId: string, to: string, atoms: bigint) =>
    wallet.outgoing.perform({
      requestId,
      method: 'send_many',
      params: { recipients: [{ to, amount: String(atoms) }] },
      isAutomatic: false,
    });

  const outcomeOf = ({ state }: Wallet, requestId: string): string | null => {
    const { id } = state.journal.findRequest(requestId) ?? assert.fail(requestId);
    return state.journal.transactionsOf(id)[0]?.outcome ?? null;
  };

  const isDecided = (wallet: Wallet) => (): boolean => wallet.state.journal.openCount() === 0;

  async function deposit(wallet: Wallet, name: string, atoms: bigint): Promise<string> {
    const to = address(wallet);
    await pay(rich, name, to, atoms);
    await mineUntil(name, [rich, wallet], () => {
      const own = wallet.state.addresses.find(to);
      return own?.balance === atoms && isDecided(rich)();
    });
    return to;
  }

  /** Goes over to the history of the node, which has taken its chain back. */
  async function accept(wallet: Wallet): Promise<void> {
    let found = wallet.history.contradiction;
    for (let turns = 0; found === null; turns++) {
      assert.ok(turns < TURNS_MAX, 'the other history was noticed');
      await net.network.mine(1);
      await wallet.catchUp().catch(() => {});
      found = wallet.history.contradiction;
    }
    wallet.rescan(undefined, found.node_cut_id);
    await wallet.catchUp();
    assert.equal(wallet.history.contradiction, null);
  }

  test('payments from change of one another are made again, and their coins for nothing else', async (t) => {
    const shop = await newWallet(t);
    await deposit(shop, 'fund-chain', 100n * COIN);
    const snapshot = await net.network.snapshot();
    const to = address(rich);
    for (const [name, coins] of [
      ['W1', 10n],
      ['W2', 20n],
    ] as const) {
      await pay(shop, name, to, coins * COIN);
      await mineUntil(name, [shop], isDecided(shop));
    }
    const { balance } = shop.state.outputs.totals();
    await net.network.revert(snapshot);
    await accept(shop);
    assert.deepEqual([outcomeOf(shop, 'W1'), outcomeOf(shop, 'W2')], [null, null]);
    await mineUntil('both are decided', [shop], () => {
      const [free] = shop.state.outputs.largest(1);
      assert.ok(isDecided(shop)() || free === undefined, 'a coin of an open payment is free');
      return isDecided(shop)();
    });
    assert.deepEqual([outcomeOf(shop, 'W1'), outcomeOf(shop, 'W2')], ['finalized', 'finalized']);
    assert.equal(shop.state.outputs.totals().balance, balance);
    await rich.catchUp();
  });

  test('a deposit that is not in it leaves the balance, and an open payment of it takes it when it comes again', async (t) => {
    const shop = await newWallet(t);
    await deposit(shop, 'fund-open', 100n * COIN);
    const snapshot = await net.network.snapshot();
    const from = await deposit(shop, 'undone', 7n * COIN);
    const params = { to: address(rich), address: from };
    const sweep = { requestId: 'W', method: 'sweep', params, isAutomatic: false };
    await shop.outgoing.perform(sweep);
    await net.network.revert(snapshot);
    await accept(shop);
    const { balance, reserved } = shop.state.outputs.totals();
    assert.deepEqual([balance, reserved], [100n * COIN, 0n]);
    for (let cuts = 0; cuts < 8; cuts++) await turn([shop]);
    shop.history.expectAgreement();
    assert.equal(outcomeOf(shop, 'W'), null);

    await accept(rich);
    await mineUntil('the deposit came again', [rich], isDecided(rich));
    await mineUntil('W is decided', [shop], () => {
      const found = shop.state.addresses.find(from);
      assert.equal(shop.state.outputs.freeOf(found?.id ?? 0, 1).length, 0, 'the coin is held');
      return isDecided(shop)();
    });
    assert.equal(outcomeOf(shop, 'W'), 'finalized');
    assert.equal(shop.state.outputs.totals().balance, 100n * COIN);
  });

  /** A wallet with an open sweep of a deposit that the accepted history lacks, and a proxy before its node. */
  async function withOrphan(t: TestContext, name: string) {
    const proxy = await LyingProxy.start(net.url);
    t.after(() => proxy.close());
    const shop = await newWallet(t, proxy.url);
    await deposit(shop, `fund-${name}`, 100n * COIN);
    const snapshot = await net.network.snapshot();
    const from = await deposit(shop, `undone-${name}`, 7n * COIN);
    const params = { to: address(rich), address: from };
    await shop.outgoing.perform({ requestId: name, method: 'sweep', params, isAutomatic: false });
    await net.network.revert(snapshot);
    await accept(shop);
    const sweep = shop.state.journal.open()[0] ?? assert.fail('no open payment');
    /** Makes cuts until the time of the sweep has passed. */
    const passTime = async (): Promise<void> => {
      while (shop.node.height <= sweep.validUntil) {
        await net.network.mine(Math.max(1, sweep.validUntil - shop.node.height));
        await shop.node.refresh();
      }
    };
    return { from, passTime, proxy, shop, sweep };
  }

  const isShown = ({ state }: Wallet, { id }: { readonly id: number }): boolean => {
    const proof = JSON.parse(state.journal.transaction(id).proof ?? '{}') as object;
    return 'not_executed' in proof;
  };

  test('a payment of a deposit that never comes again has expired once every cut is shown not to have executed it', async (t) => {
    const { passTime, proxy, shop, sweep } = await withOrphan(t, 'never');
    await pay(shop, 'beside', address(shop), COIN);
    await mineUntil('beside', [shop], () => outcomeOf(shop, 'beside') === 'finalized');
    await passTime();
    proxy.tell((document, path) => {
      const { transactions } = document as { transactions?: unknown[] };
      return /^\/v1\/cuts\/\d+\/transactions$/.test(path) && transactions !== undefined
        ? { ...document, transactions: transactions.slice(1) }
        : document;
    });
    for (let turns = 0; turns < LYING_TURNS; turns++) await turn([shop]);
    assert.equal(outcomeOf(shop, 'never'), null, 'a list that lacks something shows nothing');
    // Nodes keep headers for ever, and certificates of the last hours.
    proxy.tell((document, path) => {
      const height = Number(/^\/v1\/cuts\/(\d+)\/certificate$/.exec(path)?.[1]);
      if (height <= sweep.validUntil) throw new NotKept();
      return document;
    });
    await mineUntil('decided', [shop], isDecided(shop));
    proxy.tellTruth();
    assert.equal(outcomeOf(shop, 'never'), 'expired');
    assert.ok(isShown(shop, sweep));
    await accept(rich);
    await mineUntil('rich is done', [rich], isDecided(rich));
  });

  test("a payment whose cuts the node does not keep stays open, and is in no other one's way", async (t) => {
    const { passTime, proxy, shop, sweep } = await withOrphan(t, 'not-kept');
    await passTime();
    let asked = 0;
    proxy.tell((document, path) => {
      if (path !== `/v1/cuts/${sweep.validUntil}`) return document;
      asked++;
      throw new NotKept();
    });
    for (let turns = 0; turns < LYING_TURNS; turns++) await turn([shop]);
    assert.deepEqual([outcomeOf(shop, 'not-kept'), asked], [null, 1]);
    await accept(rich);
    await mineUntil('rich is done', [rich], isDecided(rich));
  });

  test('a payment that was executed stays open while the node conceals that, however late it is', async (t) => {
    const { from, passTime, proxy, shop, sweep } = await withOrphan(t, 'kept-back');
    const { client } = rich.node;
    proxy.tell(eachList((rows) => rows.filter(({ address }) => address !== from)));
    await accept(rich);
    await mineUntil('the deposit came again', [rich], isDecided(rich));
    const { id, transactionId: transaction_id } = sweep;
    const wire = shop.state.journal.wireOf(id) ?? assert.fail('no bytes');
    await client.submit({ wire, transaction_id });
    for (let turns = 0; turns < TURNS_MAX; turns++) {
      await turn([]);
      const { lifecycle } = await client.transactionStatus({ id: transaction_id });
      if (lifecycle === 'finalized') break;
    }
    await passTime();
    const isNamed = { kind: 'node_not_believed', message: /does not show all changes of cut/ };
    await assert.rejects(shop.catchUp(), isNamed);
    assert.equal(outcomeOf(shop, 'kept-back'), null);
    proxy.tellTruth();
    await mineUntil('decided', [shop], isDecided(shop));
    assert.equal(outcomeOf(shop, 'kept-back'), 'finalized');
  });
});
