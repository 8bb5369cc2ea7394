import assert from 'node:assert/strict';
import { copyFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { createClient } from 'svc-client';
import {
  assembleTransaction,
  encodeTransactionBody,
  encodeWitness,
  init,
  spendMessage,
  WalletRoot,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { RefusedCall, refused, startDaemon, type TestDaemon } from './testing/daemon.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { openWallet, until as untilOn } from './testing/open-wallet.ts';
import { addressAt, newWords } from './testing/words.ts';

let net: TestNetwork;
let rich: TestDaemon;
const ended: (() => void)[] = [];
const context = { after: (end: () => void) => void ended.push(end) } as never;

const until = (what: string, holds: () => boolean | Promise<boolean>): Promise<void> =>
  untilOn(what, holds, net);

async function following(daemon: TestDaemon): Promise<void> {
  await untilOn(
    'following',
    async () => (await daemon.call('status', {})).scan.phase === 'following',
  );
}

async function pay(addresses: readonly string[], name: string): Promise<void> {
  for (let at = 0; at < addresses.length; at += 7) {
    const recipients = addresses.slice(at, at + 7).map((to) => ({ to, amount: '1' }));
    await rich.call('send_many', { recipients, request_id: `${name}-${at}` });
  }
  await until('paid', async () => (await rich.call('pending', {})).transactions.length === 0);
}

describe('wallets that come back', () => {
  before(async () => {
    await init();
    net = await startTestNetwork();
    await net.network.mine(1);
    rich = await startDaemon({
      directory: temporaryDirectory(context),
      service: net.url,
      words: net.words,
    });
    await following(rich);
  });

  after(async () => {
    await rich.close();
    await net.close();
    for (const end of ended) end();
  });

  test('a rescan asked for while cuts are being read is begun and ends', async (t) => {
    const words = newWords();
    const directory = temporaryDirectory(t);
    const wallet = await openWallet({ directory, words, service: net.url });
    t.after(() => wallet.close());
    await wallet.catchUp();
    await pay([addressAt(words, 0)], 'asked-meanwhile');
    let asked = 0;
    wallet.events.on(() => {
      if (asked++ === 0) wallet.scanner.rescan(undefined);
    });
    await wallet.catchUp();
    assert.ok(asked > 0, 'the payment was told of');
    assert.equal(wallet.scanner.isRestoring, false);
    assert.equal(wallet.scanner.indexedHeight, wallet.node.height);
  });

  test('a wallet restored from its words finds addresses within the gap, and those beyond with a larger one', async (t) => {
    const words = newWords();
    await pay(
      [0, 3, 20, 38, 90].map((index) => addressAt(words, index)),
      'restore',
    );
    const daemon = await startDaemon({
      directory: temporaryDirectory(t),
      service: net.url,
      words,
      gap: 20,
    });
    t.after(() => daemon.close());
    await following(daemon);
    assert.equal((await daemon.call('balance', {})).balance, '4.00000000');
    assert.equal(
      (await daemon.call('new_address', {})).index,
      39,
      'no used address is given out again',
    );
    await daemon.call('rescan', { gap: 60 });
    await until('read', async () => (await daemon.call('status', {})).rescan === null);
    assert.equal((await daemon.call('balance', {})).balance, '5.00000000');
    assert.equal((await daemon.call('new_address', {})).index, 91);
    await until('told', async () => {
      return (await daemon.call('received', { since_height: 0 })).payments.length === 5;
    });
  });

  test('a wallet whose state was lost has the same coins and history after reading the chain again', async (t) => {
    const words = newWords();
    const first = await startDaemon({ directory: temporaryDirectory(t), service: net.url, words });
    await following(first);
    const { address } = await first.call('new_address', {});
    await pay([address, address, address], 'lost');
    await following(first);
    await until('seen', async () => (await first.call('balance', {})).outputs === 3);
    const back = (await rich.call('new_address', {})).address;
    await first.call('send', { to: back, amount: '1.5', request_id: 'a' });
    await until('sent', async () => (await first.call('pending', {})).transactions.length === 0);
    await until('proven', async () => (await first.call('status', {})).rescan === null);
    const before = await first.call('outputs', { limit: 100 });
    const received = await first.call('received', { since_height: 0 });
    await first.close();
    const second = await startDaemon({ directory: temporaryDirectory(t), service: net.url, words });
    t.after(() => second.close());
    await following(second);
    await until('proven', async () => (await second.call('status', {})).rescan === null);
    const coins = ({ outputs }: typeof before): string[] =>
      outputs
        .map((each) => `${each.transaction}:${each.output}:${each.amount}:${each.change}`)
        .sort();
    assert.deepEqual(coins(await second.call('outputs', { limit: 100 })), coins(before));
    const keys = ({ payments }: typeof received): string[] =>
      payments.map((each) => `${each.transaction}:${each.output}:${each.height}`).sort();
    assert.deepEqual(keys(await second.call('received', { since_height: 0 })), keys(received));
  });

  test('a state restored from a backup that was made while the daemon ran pays nothing twice and gives out no address again', async (t) => {
    const directory = temporaryDirectory(t);
    const words = newWords();
    const start = (isNew: boolean, isStateAccepted = false): Promise<TestDaemon> =>
      startDaemon({ directory, service: net.url, words, isNew, isStateAccepted });
    let daemon = await start(true);
    t.after(() => daemon.close());
    await following(daemon);
    const { address } = await daemon.call('new_address', { label: 'before' });
    await pay([address, address, address], 'backup');
    await until('seen', async () => (await daemon.call('balance', {})).outputs === 3);
    const state = `${daemon.file}.state`;
    const [{ bytes, file: backup }, same] = await Promise.all([
      daemon.call('backup', {}),
      daemon.call('backup', {}),
    ]);
    assert.deepEqual([backup, same.file], [`${state}.backup`, `${state}.backup`]);
    const { mode, size } = statSync(backup);
    assert.deepEqual([mode & 0o777, size], [0o600, bytes]);
    assert.ok(!existsSync(`${backup}.new`), 'nothing unfinished is left');
    const restore = async (): Promise<void> => {
      await daemon.close();
      for (const end of ['-wal', '-shm']) rmSync(`${state}${end}`, { force: true });
      copyFileSync(backup, state);
    };

    const to = (await rich.call('new_address', {})).address;
    const final = { to, amount: '0.5', request_id: 'final' };
    const first = await daemon.call('send', final);
    await until('paid', async () => (await daemon.call('pending', {})).transactions.length === 0);
    const waiting = { to, amount: '0.25', request_id: 'waiting' };
    const second = await daemon.call('send', waiting);
    const named = { label: 'after', request_id: 'customer' };
    const given = await daemon.call('new_address', named);
    await restore();

    daemon = await start(false);
    await following(daemon);
    await untilOn('recovered', async () => !(await daemon.call('status', {})).recovering);
    const again = await daemon.call('send', final);
    assert.deepEqual(
      [again.duplicate, again.transaction, again.outcome],
      [true, first.transaction, 'finalized'],
    );
    const repeated = await daemon.call('new_address', named);
    assert.deepEqual([repeated.duplicate, repeated.address], [true, given.address]);
    const next = await daemon.call('new_address', {});
    assert.ok(next.index > given.index);
    const labels = (await daemon.call('addresses', { label: 'after' })).addresses;
    assert.deepEqual(
      labels.map(({ address: own }) => own),
      [given.address],
    );
    await until('the other one is final too', async () => {
      const { outcome } = await daemon.call('transaction', { transaction: second.transaction });
      return outcome === 'finalized';
    });
    assert.equal((await daemon.call('send', waiting)).transaction, second.transaction);
    const received = async (): Promise<string> =>
      (await rich.call('addresses', { limit: 1000 })).addresses.find((own) => own.address === to)
        ?.balance ?? '';
    await until('received', async () => (await received()) === '0.75000000');

    await daemon.close();
    rmSync(`${daemon.file}.journal`);
    await assert.rejects(start(false), { name: 'FileRefusal', fault: 'missing' });
    daemon = await start(false, true);
    await following(daemon);
    assert.equal((await daemon.call('send', final)).duplicate, true);
    assert.ok(existsSync(`${daemon.file}.journal`));
  });

  test('state and journal copy that are both old pay nothing until somebody accepts them', async (t) => {
    const directory = temporaryDirectory(t);
    const words = newWords();
    const start = async (isNew: boolean, isStateAccepted = false): Promise<TestDaemon> => {
      const opened = { directory, service: net.url, words, isNew, isStateAccepted };
      const started = await startDaemon(opened);
      await following(started);
      return started;
    };
    let daemon = await start(true);
    t.after(() => daemon.close());
    const { address } = await daemon.call('new_address', {});
    await pay([address, address], 'both');
    await until('seen', async () => (await daemon.call('balance', {})).outputs === 2);
    await daemon.close();
    const files = ['state', 'journal'].map((end) => `${daemon.file}.${end}`);
    for (const file of files) copyFileSync(file, `${file}.backup`);

    daemon = await start(false);
    const to = (await rich.call('new_address', {})).address;
    const lost = { to, amount: '0.5', request_id: 'lost' };
    const { transaction } = await daemon.call('send', lost);
    await until('paid', async () => (await daemon.call('pending', {})).transactions.length === 0);
    await daemon.close();
    for (const end of ['-wal', '-shm']) rmSync(`${daemon.file}.state${end}`, { force: true });
    for (const file of files) copyFileSync(`${file}.backup`, file);

    for (const title of ['the first start', 'a further one']) {
      daemon = await start(false);
      const refusal = await refused(-32003, 'recovering', daemon.call('send', lost));
      assert.equal(refusal.data['transaction'], transaction, title);
      assert.equal((await daemon.call('status', {})).recovering, true, title);
      await daemon.close();
    }
    daemon = await start(false, true);
    assert.equal((await daemon.call('status', {})).recovering, false);
    const next = await daemon.call('send', { to, amount: '0.25', request_id: 'next' });
    assert.equal(next.submitted, true);
  });

  test('[RECV-01] a message of the messenger is a payment of one atom, marked, without payload fields', async (t) => {
    const daemon = await startDaemon({ directory: temporaryDirectory(t), service: net.url });
    t.after(() => daemon.close());
    await following(daemon);
    const socket = await daemon.socket();
    await socket.call('subscribe', { events: ['finalized'] });
    const { address: recipient } = await daemon.call('new_address', {});
    const client = createClient({ url: net.url });
    const manifest = JSON.stringify(await client.transactionsManifest());
    const words = newWords();
    using root = WalletRoot.fromMnemonic(words, '', 'development');
    const sender = addressAt(words, 0);
    await pay([sender], 'messenger');
    const { utxos } = await client.addressUtxos({ address: sender });
    const [coin] = utxos;
    assert.ok(coin !== undefined);
    const asked = JSON.parse(
      root.messengerRequest(
        0,
        JSON.stringify({
          network: 'development',
          sender_address: sender,
          recipient_address: recipient,
        }),
      ),
    ) as { payload_hex: string };
    const { cut } = await client.chainHead();
    const body = encodeTransactionBody(
      JSON.stringify({
        valid_from_height: String(cut.height),
        valid_until_height: String(cut.height + 100),
        inputs: [
          {
            transaction_id: coin.outpoint.transaction_id,
            output_index: String(coin.outpoint.output_index),
          },
        ],
        outputs: [
          { address: recipient, amount: '1' },
          { address: sender, amount: '99000000' },
        ],
        payload_hex: asked.payload_hex,
      }),
      manifest,
    );
    const spent = JSON.stringify({ address: sender, amount: coin.amount });
    const signature = root.sign(0, 0, 0, spendMessage(body, 0, spent, manifest), true);
    const witness = encodeWitness(root.derivePublicKey(0, 0, 0), signature);
    await client.transactionSubmit({
      wire_hex: toHex(assembleTransaction(body, [witness], manifest)),
    });
    await until('finalized', () => socket.of('finalized').length === 1);
    const [payment] = (await daemon.call('received', { since_height: 0 })).payments;
    assert.deepEqual(
      [payment?.amount, payment?.messenger, payment?.senders],
      ['0.00000001', true, [sender]],
    );
    assert.ok(payment !== undefined && !('payload_text' in payment) && !('payload_hex' in payment));
    const told = (
      socket.of('finalized')[0]?.params['payments'] as Record<string, unknown>[] | undefined
    )?.[0];
    assert.deepEqual(
      [told?.['messenger'], told !== undefined && 'payload_text' in told],
      [true, false],
    );
    socket.close();
  });

  test('[WALLET-22] outputs are merged without being asked, and payments never meet a merge', async (t) => {
    const words = newWords();
    const merging = await startDaemon({
      directory: temporaryDirectory(t),
      service: net.url,
      words,
      autoCompound: 3,
    });
    t.after(() => merging.close());
    await following(merging);
    const { address } = await merging.call('new_address', {});
    await pay(
      Array.from({ length: 3 }, () => address),
      'few',
    );
    await until('read', async () => (await merging.call('outputs', {})).outputs.length === 3);
    const { indexed_height: seen } = await merging.call('status', {});
    await until('read on', async () => (await merging.call('status', {})).indexed_height > seen);
    const { outputs: few } = await merging.call('outputs', {});
    assert.ok(few.length === 3 && few.every(({ reserved }) => !reserved), 'three are not too many');
    await pay([address, address], 'merge');
    await until('merged', async () => {
      const { outputs } = await merging.call('outputs', {});
      return outputs.length === 1 && outputs[0]?.change === true;
    });
    await pay(
      Array.from({ length: 14 }, () => address),
      'merge-while-paying',
    );
    const beside = (await rich.call('new_address', {})).address;
    const busy: unknown[] = [];
    for (let at = 1; at <= 4; ) {
      try {
        await merging.call('send', { to: beside, amount: '3', request_id: `beside-${at}` });
        at++;
      } catch (error) {
        assert.ok(error instanceof RefusedCall && error.code === -32003, String(error));
        busy.push(error.data['kind']);
        await net.network.mine(1);
      }
    }
    assert.ok(busy.length > 0 && busy.every((kind) => kind === 'wallet_busy'), String(busy));
    await until('settled', async () => {
      const { transactions } = await merging.call('pending', {});
      return (
        transactions.length === 0 &&
        (await merging.call('outputs', { address })).outputs.length <= 3
      );
    });
    const sent = (await merging.call('history', { limit: 100 })).entries.flatMap(
      ({ direction, kind, outcome }) => (direction === 'sent' ? [`${kind} ${outcome}`] : []),
    );
    assert.deepEqual(new Set(sent), new Set(['compound finalized', 'payment finalized']));
    assert.equal(sent.filter((text) => text.startsWith('payment')).length, 4);
  });

  test('[WALLET-23] payments are forwarded without being asked', async (t) => {
    const cold = (await rich.call('new_address', {})).address;
    const forwarding = await startDaemon({
      directory: temporaryDirectory(t),
      service: net.url,
      autoSweepTo: cold,
    });
    t.after(() => forwarding.close());
    await following(forwarding);
    const deposit = (await forwarding.call('new_address', {})).address;
    await pay([deposit, deposit], 'forward');
    const forwarded = async (): Promise<unknown[]> =>
      (await forwarding.call('history', {})).entries.flatMap(({ direction, kind, outcome }) =>
        direction === 'sent' ? [[kind, outcome]] : [],
      );
    await until('forwarded', async () => (await forwarded()).length > 0);
    await until('final', async () => (await forwarding.call('balance', {})).outputs === 0);
    assert.deepEqual(await forwarded(), [['sweep', 'finalized']]);
    const balance = async (): Promise<string> =>
      (await rich.call('addresses', { limit: 1000 })).addresses.find(
        (each) => each.address === cold,
      )?.balance ?? '';
    await until('arrived', async () => /^1\.99[0-9]{6}$/.test(await balance()));
  });
});
