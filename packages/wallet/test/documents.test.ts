import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { createWalletClient, WalletRpcError } from 'svc-client';
import { init } from 'svc-wasm';
import { CutProxy } from './testing/cut-proxy.ts';
import { startDaemon, type TestDaemon } from './testing/daemon.ts';
import {
  type DepositsProgram,
  type Language,
  languagesHere,
  pythonWithdrawals,
  type WithdrawalsProgram,
  writeProgram,
} from './testing/document-program.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { until as untilOn } from './testing/open-wallet.ts';

let net: TestNetwork;
let shop: TestDaemon;
let rich: TestDaemon;
let richDirectory: string;
/** Whatever the port: a proxy is in front. */
const hostNames = ['127.0.0.1'];
const ended: (() => void)[] = [];
const context = { after: (end: () => void) => void ended.push(end) } as never;

const until = (what: string, holds: () => boolean | Promise<boolean>): Promise<void> =>
  untilOn(what, holds, net);

function rows(database: string, sql: string): Record<string, unknown>[] {
  const opened = new DatabaseSync(database);
  try {
    return opened.prepare(sql).all();
  } finally {
    opened.close();
  }
}

const HOSTILE = `'); DROP TABLE deposits; --<script>alert("x")</script>&amp;`;

/** The program of the page about withdrawals. */
async function withdrawals(language: Language, directory: string): Promise<WithdrawalsProgram> {
  if (language === 'python') return pythonWithdrawals(directory);
  return (await import(writeProgram('withdrawals.md', directory))) as WithdrawalsProgram;
}

const here = languagesHere();
const NO_PYTHON = 'python3 is not installed';
const LANGUAGES = (['typescript', 'python'] as const).map((language) => ({
  language,
  skip: here.includes(language) ? false : NO_PYTHON,
}));

describe('programs of the documentation', () => {
  before(async () => {
    await init();
    net = await startTestNetwork();
    richDirectory = temporaryDirectory(context);
    rich = await startDaemon({
      directory: richDirectory,
      service: net.url,
      words: net.words,
      hostNames,
    });
    shop = await startDaemon({ directory: temporaryDirectory(context), service: net.url });
    for (const daemon of [rich, shop]) {
      await untilOn(
        'following',
        async () => (await daemon.call('status', {})).scan.phase === 'following',
      );
    }
  });

  after(async () => {
    await Promise.all([rich.close(), shop.close()]);
    await net.close();
    for (const end of ended) end();
  });

  test('[AUTH-10] the program of the page about deposits credits each once, and what senders wrote stays text', async (t) => {
    const directory = temporaryDirectory(t);
    const database = join(directory, 'ledger.db');
    const { creditDeposits, depositRow } = (await import(
      writeProgram('deposits.md', directory)
    )) as DepositsProgram;
    const { address } = await shop.call('new_address', {});
    const run = async (wanted: number): Promise<void> => {
      const ending = new AbortController();
      const running = creditDeposits({
        url: shop.url,
        token: shop.token,
        database,
        signal: ending.signal,
      });
      await until('credited', () => rows(database, 'SELECT * FROM deposits').length === wanted);
      ending.abort();
      await running;
    };
    await rich.call('send', {
      to: address,
      amount: '1.5',
      request_id: 'd1',
      payload_text: HOSTILE,
    });
    await run(1);
    await rich.call('send', { to: address, amount: '2', request_id: 'd2' });
    await run(2);
    const found = rows(database, 'SELECT amount, note FROM deposits ORDER BY amount');
    assert.deepEqual(
      found.map((row) => ({ ...row })),
      [
        { amount: '1.50000000', note: HOSTILE },
        { amount: '2.00000000', note: '' },
      ],
    );
    const row = depositRow({ amount: '1.50000000', note: HOSTILE });
    const [, shown = ''] = /^<tr><td>1\.50000000<\/td><td>([^<>"']*)<\/td><\/tr>$/.exec(row) ?? [];
    const text = shown.replaceAll(/&#([0-9]+);/g, (_, code) => String.fromCharCode(Number(code)));
    assert.equal(text, HOSTILE, row);

    const cold = (await rich.call('new_address', {})).address;
    const kept = (await shop.call('new_address', {})).address;
    await rich.call('send', { to: kept, amount: '0.5', request_id: 'hot' });
    await until(
      'kept',
      async () => (await shop.call('outputs', { address: kept })).outputs.length === 1,
    );
    await shop.call('sweep', { to: cold, address, request_id: 'cold' });
    await until('cold', async () => (await shop.call('pending', {})).transactions.length === 0);
    assert.equal((await shop.call('balance', {})).balance, '0.50000000');
  });

  test('the program of the page about deposits credits what was paid, and no reward of the own wallet', async (t) => {
    const directory = temporaryDirectory(t);
    const database = join(directory, 'ledger.db');
    const { creditDeposits } = (await import(
      writeProgram('deposits.md', directory)
    )) as DepositsProgram;
    const { address } = await rich.call('new_address', {});
    const { transaction } = await rich.call('send', {
      to: address,
      amount: '3',
      request_id: 'own',
    });
    await until('final', async () => (await rich.call('pending', {})).transactions.length === 0);
    await net.network.mine(100);
    const received = async () => (await rich.call('received', { since_height: 0 })).payments;
    const isReward = ({ source }: { readonly source: string }) => source === 'work_reward';
    await until('the miner of the network is paid', async () => (await received()).some(isReward));
    const ending = new AbortController();
    const { url, token } = rich;
    const running = creditDeposits({ url, token, database, signal: ending.signal });
    const credited = (): unknown[] =>
      rows(database, 'SELECT "transaction" FROM deposits').map((row) => row['transaction']);
    await until('credited', () => credited().includes(transaction));
    ending.abort();
    await running;
    const regular = (await received()).filter(({ source }) => source === 'regular');
    assert.equal(credited().length, regular.length);
  });

  for (const { language, skip } of LANGUAGES)
    test(`the program of the page about withdrawals pays each once, also when it is run again and the daemon restarts, in ${language}`, {
      skip,
    }, async (t) => {
      const directory = temporaryDirectory(t);
      const database = join(directory, 'withdrawals.db');
      const { payWithdrawals } = await withdrawals(language, directory);
      const to = (await shop.call('new_address', {})).address;
      const wanted = [
        { id: `w1-${language}`, to, amount: '0.5' },
        { id: `w2-${language}`, to, amount: '0.25' },
        { id: `w3-${language}`, to, amount: '199999999' },
      ];
      await payWithdrawals(rich.url, rich.token, database, wanted.slice(0, 1));
      rows(database, "UPDATE withdrawals SET state = 'open'");
      // A token that was replaced says nothing of what was paid with it.
      await assert.rejects(payWithdrawals(rich.url, 'ab'.repeat(32), database, []));
      assert.equal(rows(database, 'SELECT state FROM withdrawals')[0]?.['state'], 'open');
      await rich.close();
      rich = await startDaemon({
        directory: richDirectory,
        isNew: false,
        service: net.url,
        hostNames,
      });
      await payWithdrawals(rich.url, rich.token, database, wanted);
      assert.deepEqual(
        rows(database, 'SELECT id, state FROM withdrawals ORDER BY id').map((row) => ({ ...row })),
        [
          { id: `w1-${language}`, state: 'sent' },
          { id: `w2-${language}`, state: 'sent' },
          { id: `w3-${language}`, state: 'refused insufficient_funds' },
        ],
      );
      const other = join(directory, 'other.db');
      await payWithdrawals(rich.url, rich.token, other, [
        { id: `w1-${language}`, to, amount: '0.75' },
      ]);
      assert.deepEqual(
        rows(other, 'SELECT state FROM withdrawals').map((row) => ({ ...row })),
        [{ state: 'refused request_id_mismatch' }],
      );
      const lenient = createWalletClient({ url: rich.url, token: rich.token, allowMismatch: true });
      const first = await lenient.call('send', {
        to,
        amount: '0.75',
        request_id: `w1-${language}`,
      });
      assert.deepEqual([first.mismatch, first.amount], [true, '0.50000000']);
      await until('paid', async () => (await rich.call('pending', {})).transactions.length === 0);
      const arrived = async () =>
        (await shop.call('addresses', { limit: 1000 })).addresses.find(
          (each) => each.address === to,
        );
      await until('arrived', async () => ((await arrived())?.outputs ?? 0) >= 2);
      const found = await arrived();
      assert.deepEqual([found?.balance, found?.outputs], ['0.75000000', 2]);
    });

  for (const { language, skip } of LANGUAGES)
    test(`[RPCERR-01] a daemon that does not answer is called again under the same name, and pays once, in ${language}`, {
      skip,
    }, async (t) => {
      const directory = temporaryDirectory(t);
      const database = join(directory, 'withdrawals.db');
      const { payWithdrawals } = await withdrawals(language, directory);
      const proxy = await CutProxy.start();
      t.after(() => proxy.close());
      const to = (await shop.call('new_address', {})).address;
      const request = { to, amount: '0.125', request_id: `unanswered-${language}` };
      await assert.rejects(
        createWalletClient({ url: proxy.url, token: rich.token }).call('send', request),
        (error) =>
          error instanceof WalletRpcError &&
          error.code === undefined &&
          error.retry === 'same_request_id',
      );
      const paying = payWithdrawals(proxy.url, rich.token, database, [
        { id: request.request_id, ...request },
      ]);
      proxy.loseAnswers(1);
      proxy.leadTo(rich.url);
      await paying;
      const [row] = rows(database, 'SELECT state, "transaction" FROM withdrawals');
      const again = await rich.call('send', request);
      assert.deepEqual(
        [row?.['state'], row?.['transaction'], again.duplicate],
        ['sent', again.transaction, true],
      );
      await until('paid', async () => (await rich.call('pending', {})).transactions.length === 0);
      const balance = async () => (await shop.call('outputs', { address: to })).outputs;
      await until('arrived', async () => (await balance()).length > 0);
      assert.deepEqual(
        (await balance()).map(({ amount }) => amount),
        ['0.12500000'],
      );
    });

  const skip = here.includes('python') ? false : NO_PYTHON;
  test('the program in Python that is killed without an answer goes on with what it has stored', {
    skip,
  }, async (t) => {
    const directory = temporaryDirectory(t);
    const database = join(directory, 'withdrawals.db');
    const proxy = await CutProxy.start();
    t.after(() => proxy.close());
    const to = (await shop.call('new_address', {})).address;
    const request = { to, amount: '0.0625', request_id: 'killed' };
    const killing = new AbortController();
    const { payWithdrawals } = pythonWithdrawals(directory, killing.signal);
    const wanted = [{ id: 'killed', ...request }];
    const killed = payWithdrawals(proxy.url, rich.token, database, wanted);
    proxy.loseAnswers(Number.MAX_SAFE_INTEGER);
    proxy.leadTo(rich.url);
    const isRecorded = (): Promise<boolean> =>
      rich.call('request', { request_id: 'killed' }).then(
        () => true,
        () => false,
      );
    await until('recorded', isRecorded);
    killing.abort();
    await killed;
    await pythonWithdrawals(directory).payWithdrawals(rich.url, rich.token, database, []);
    const [row] = rows(database, 'SELECT state, "transaction" FROM withdrawals');
    const again = await rich.call('send', request);
    assert.deepEqual(
      [row?.['state'], row?.['transaction'], again.duplicate],
      ['sent', again.transaction, true],
    );
  });
});
