/** States that were put back from a backup together with their journal copies, on nodes that are behind or not. */
import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init, parseAmount } from 'svc-wasm';
import { beginRestore, lostPaymentOf } from '../src/state/readings.ts';
import type { Wallet } from '../src/wallet.ts';
import { LyingProxy } from './testing/lying-proxy.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { openWallet } from './testing/open-wallet.ts';
import { newWords } from './testing/words.ts';

const COIN = 100_000_000n;
const TURNS_MAX = 100;

describe('a state that is older than its wallet', () => {
  let net: TestNetwork;
  let rich: Wallet;
  let proxy: LyingProxy;
  let payments = 0;
  const ended: (() => void)[] = [];
  const context = { after: (end: () => void) => void ended.push(end) } as never;

  before(async () => {
    await init();
    net = await startTestNetwork();
    proxy = await LyingProxy.start(net.url);
    await net.network.mine(2);
    const directory = temporaryDirectory(context);
    rich = await openWallet({ directory, words: net.words, service: net.url });
    await rich.catchUp();
  });

  after(async () => {
    await rich.close();
    await proxy.close();
    await net.close();
    for (const end of ended) end();
  });

  const request = (to: string, requestId = `payment-${++payments}`) => ({
    requestId,
    method: 'send_many',
    params: { recipients: [{ to, amount: String(COIN) }] },
    isAutomatic: false,
  });

  /** Makes cuts until all payments of a wallet are decided. */
  async function decided(wallet: Wallet): Promise<void> {
    for (let turns = 0; turns < TURNS_MAX; turns++) {
      await net.network.mine(1);
      await wallet.catchUp();
      if (wallet.state.journal.openCount() === 0) return;
    }
    assert.fail('the payments were never decided');
  }

  async function fund(wallet: Wallet, coins: number): Promise<void> {
    for (let coin = 0; coin < coins; coin++) {
      await rich.outgoing.perform(request(wallet.keychain.issue(0, null).address));
      await decided(rich);
    }
    await wallet.catchUp();
    assert.equal(wallet.state.outputs.totals().balance, BigInt(coins) * COIN);
  }

  /** The node says that it has come no further than a height, and that it knows of more. */
  function lagAt(height: number): void {
    proxy.tell((document, path) =>
      path === '/v1/node/sync'
        ? { ...document, finalized_height: height, synced: false }
        : document,
    );
  }

  /** A wallet of these words in a folder of its own, through the proxy; the files of it are put back by `restore`. */
  function walletIn(t: TestContext, words: string, changeAddresses: number | null = null) {
    const directory = temporaryDirectory(t);
    const files = ['wallet.state', 'wallet.journal'].map((name) => join(directory, name));
    const journalCopy = files[1] as string;
    t.after(() => proxy.tellTruth());
    return {
      open: async (isStateAccepted = false, few = changeAddresses): Promise<Wallet> => {
        const where = { directory, words, service: proxy.url, journalCopy };
        const wallet = await openWallet({ ...where, changeAddresses: few, isStateAccepted });
        t.after(() => wallet.close());
        return wallet;
      },
      backUp: (): void => {
        for (const file of files) copyFileSync(file, `${file}.backup`);
      },
      restore: (): void => {
        for (const end of ['-wal', '-shm', '.sum']) rmSync(`${files[0]}${end}`, { force: true });
        for (const file of files) copyFileSync(`${file}.backup`, file);
      },
    };
  }

  async function payAndClose(wallet: Wallet, requestId: string): Promise<void> {
    await wallet.catchUp();
    await wallet.outgoing.perform(request(rich.keychain.issue(0, null).address, requestId));
    await decided(wallet);
    await wallet.close();
  }

  const pay = (wallet: Wallet, requestId: string): Promise<unknown> =>
    wallet.outgoing.perform(request(rich.keychain.issue(0, null).address, requestId));

  test('it is recognised although its node was behind when it was opened', async (t) => {
    const { backUp, open, restore } = walletIn(t, newWords());
    const first = await open();
    await first.catchUp();
    await fund(first, 3);
    const before = first.scanner.indexedHeight;
    await first.close();
    backUp();
    await payAndClose(await open(), 'lost');
    restore();

    lagAt(before);
    const restored = await open();
    await restored.catchUp();
    assert.equal(restored.scanner.indexedHeight, before);
    await assert.rejects(pay(restored, 'lost'), { kind: 'node_not_synced' });
    proxy.tellTruth();
    await restored.catchUp();
    await assert.rejects(pay(restored, 'lost'), { kind: 'recovering' });
    await restored.close();

    const accepted = await open(true);
    await accepted.catchUp();
    await pay(accepted, 'next');
    await decided(accepted);
  });

  test('it pays nothing before it has read up to the head of its node, however near that is', async (t) => {
    const { backUp, open, restore } = walletIn(t, newWords());
    const first = await open();
    await first.catchUp();
    await fund(first, 3);
    await first.close();
    backUp();
    await payAndClose(await open(), 'lost');
    restore();

    const restored = await open();
    await assert.rejects(pay(restored, 'lost'), { kind: 'node_not_synced' });
    await restored.catchUp();
    await assert.rejects(pay(restored, 'lost'), { kind: 'recovering' });
  });

  test('it is recognised where its backup was made during a rescan', async (t) => {
    const { backUp, open, restore } = walletIn(t, newWords());
    const first = await open();
    await first.catchUp();
    await fund(first, 3);
    first.rescan(undefined);
    await first.close();
    backUp();
    await payAndClose(await open(), 'lost');
    restore();

    const restored = await open();
    await restored.catchUp();
    await assert.rejects(pay(restored, 'lost'), { kind: 'recovering' });
  });

  test('it stops when another daemon with the same words has paid', async (t) => {
    const words = newWords();
    const [one, other] = [walletIn(t, words), walletIn(t, words)];
    const first = await one.open();
    await first.catchUp();
    await fund(first, 3);
    const second = await other.open();
    await second.catchUp();
    await pay(first, 'by-the-first');
    await decided(first);
    await second.catchUp();
    await assert.rejects(pay(second, 'by-the-second'), { kind: 'recovering' });
    await pay(first, 'further');
  });

  test('a wallet that is restored from its words is none, although its node is behind', async (t) => {
    const words = newWords();
    const first = await walletIn(t, words).open();
    await first.catchUp();
    await fund(first, 3);
    const before = first.scanner.indexedHeight;
    await payAndClose(first, 'paid');

    const { open } = walletIn(t, words);
    lagAt(before);
    const early = await open();
    await early.catchUp();
    assert.equal(early.scanner.indexedHeight, before);
    await early.close();
    const again = await open();
    await again.catchUp();
    proxy.tellTruth();
    await again.catchUp();
    assert.equal(lostPaymentOf(again.state.meta), undefined);
    await pay(again, 'next');
    await decided(again);
  });

  test('it is recognised by what it does not know to have spent where change goes to few addresses', async (t) => {
    const { backUp, open, restore } = walletIn(t, newWords(), 1);
    const first = await open();
    await first.catchUp();
    await fund(first, 5);
    await pay(first, 'known');
    await decided(first);
    await first.close();
    backUp();
    await payAndClose(await open(), 'lost');
    restore();

    const restored = await open();
    assert.equal(restored.state.addresses.next(1), 1, 'its change shows nothing');
    await restored.catchUp();
    await assert.rejects(pay(restored, 'lost'), { kind: 'recovering' });
    await restored.close();

    const accepted = await open(true);
    await accepted.catchUp();
    await pay(accepted, 'next');
    await decided(accepted);
  });

  for (const [when, before, then] of [
    ['before change went', null, 1],
    ['when change went', 1, 1],
  ] as const)
    test(`a backup from ${when} to few addresses is recognised without the option too`, async (t) => {
      const { backUp, open, restore } = walletIn(t, newWords());
      const first = await open(false, before);
      await first.catchUp();
      await fund(first, 6);
      for (const name of ['one', 'two']) {
        await pay(first, name);
        await decided(first);
      }
      await first.close();
      backUp();
      await payAndClose(await open(false, then), 'lost');
      restore();

      const restored = await open();
      await restored.catchUp();
      await assert.rejects(pay(restored, 'lost'), { kind: 'recovering' });
    });

  test('what others spent before change went to few addresses stops nobody who reads it again', async (t) => {
    const words = newWords();
    const one = walletIn(t, words);
    const first = await one.open();
    await first.catchUp();
    await fund(first, 3);
    const other = await walletIn(t, words).open();
    await other.catchUp();
    // Other programs give change back to an address that had coins.
    t.mock.method(other.keychain, 'changeAhead', () => other.keychain.first().address);
    await pay(other, 'by-another-program');
    await decided(other);
    await first.catchUp();
    assert.equal(lostPaymentOf(first.state.meta), undefined);
    await first.close();

    const few = await one.open(false, 1);
    beginRestore(few.state);
    await few.catchUp();
    assert.equal(lostPaymentOf(few.state.meta), undefined);
    await pay(few, 'next');
  });

  test('a wallet whose change goes to few addresses pays less from them, and goes on whoever pays to them', async (t) => {
    const wallet = await walletIn(t, newWords(), 1).open();
    await wallet.catchUp();
    await fund(wallet, 1);
    const fees: bigint[] = [];
    for (const requestId of ['from-a-deposit', 'from-a-new-key', 'from-a-known-key']) {
      const recipients = [{ to: rich.keychain.first().address, amount: String(COIN / 2n) }];
      const params = { recipients };
      const reply = await wallet.outgoing.perform({ ...request('', requestId), params });
      fees.push(BigInt(parseAmount((reply as unknown as { fee: string }).fee)));
      await decided(wallet);
      const change = wallet.state.addresses.at(1, 0)?.address as string;
      await rich.outgoing.perform(request(change));
      await decided(rich);
      await wallet.catchUp();
    }
    assert.equal(wallet.state.addresses.next(1), 1, 'all change has come back to one address');
    assert.equal(lostPaymentOf(wallet.state.meta), undefined);
    const [fromDeposit, fromNewKey, fromKnownKey] = fees as [bigint, bigint, bigint];
    assert.equal(fromNewKey, fromDeposit);
    assert.ok(fromKnownKey < fromNewKey, `${fromKnownKey} after ${fromNewKey}`);
  });
});
