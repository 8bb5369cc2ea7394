import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { init } from 'svc-wasm';
import { startDaemon, type TestDaemon } from './support/daemon.ts';
import { startTestNetwork, type TestNetwork } from './support/network.ts';
import { until as untilOn } from './support/open-wallet.ts';
import { temporaryDirectory } from './support/temporary.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
let net: TestNetwork;
let shop: TestDaemon;
let rich: TestDaemon;
let richDirectory: string;
const ended: (() => void)[] = [];
const context = { after: (end: () => void) => void ended.push(end) } as never;

const until = (what: string, holds: () => boolean | Promise<boolean>): Promise<void> =>
  untilOn(what, holds, net);

before(async () => {
  await init();
  net = await startTestNetwork();
  richDirectory = temporaryDirectory(context);
  rich = await startDaemon({ directory: richDirectory, service: net.url, words: net.words });
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

/** The last program of a page, as a module that finds the packages of this repository. */
async function programOf<T>(page: string, directory: string): Promise<T> {
  const text = readFileSync(join(root, 'docs/integrate', page), 'utf8');
  const block = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].at(-1)?.[1];
  assert.ok(block !== undefined);
  const client = pathToFileURL(join(root, 'packages/client/src/index.ts')).href;
  const file = join(directory, page.replace('.md', '.ts'));
  writeFileSync(file, block.replaceAll("'svc-client'", JSON.stringify(client)));
  return (await import(pathToFileURL(file).href)) as T;
}

interface Deposits {
  creditDeposits(options: {
    url: string;
    token: string;
    database: string;
    signal: AbortSignal;
  }): Promise<void>;
}

interface Withdrawals {
  payWithdrawals(
    url: string,
    token: string,
    database: string,
    wanted: { id: string; to: string; amount: string }[],
  ): Promise<void>;
}

function rows(database: string, sql: string): Record<string, unknown>[] {
  const opened = new DatabaseSync(database);
  try {
    return opened.prepare(sql).all();
  } finally {
    opened.close();
  }
}

test('the program of the page about deposits credits each once, also after it was stopped', async (t) => {
  const directory = temporaryDirectory(t);
  const database = join(directory, 'ledger.db');
  const { creditDeposits } = await programOf<Deposits>('deposits.md', directory);
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
    payload_text: "'); DROP TABLE deposits; --",
  });
  await run(1);
  await rich.call('send', { to: address, amount: '2', request_id: 'd2' });
  await run(2);
  const found = rows(database, 'SELECT amount, note FROM deposits ORDER BY amount');
  assert.deepEqual(
    found.map((row) => ({ ...row })),
    [
      { amount: '1.50000000', note: "'); DROP TABLE deposits; --" },
      { amount: '2.00000000', note: '' },
    ],
  );
});

test('the program of the page about withdrawals pays each once, also when it is run again and the daemon restarts', async (t) => {
  const directory = temporaryDirectory(t);
  const database = join(directory, 'withdrawals.db');
  const { payWithdrawals } = await programOf<Withdrawals>('withdrawals.md', directory);
  const to = (await shop.call('new_address', {})).address;
  const wanted = [
    { id: 'w1', to, amount: '0.5' },
    { id: 'w2', to, amount: '0.25' },
    { id: 'w3', to, amount: '199999999' },
  ];
  await payWithdrawals(rich.url, rich.token, database, wanted.slice(0, 1));
  rows(database, "UPDATE withdrawals SET state = 'open'");
  await rich.close();
  rich = await startDaemon({ directory: richDirectory, isNew: false, service: net.url });
  await payWithdrawals(rich.url, rich.token, database, wanted);
  assert.deepEqual(
    rows(database, 'SELECT id, state FROM withdrawals ORDER BY id').map((row) => ({ ...row })),
    [
      { id: 'w1', state: 'sent' },
      { id: 'w2', state: 'sent' },
      { id: 'w3', state: 'refused insufficient_funds' },
    ],
  );
  await until('paid', async () => (await rich.call('pending', {})).transactions.length === 0);
  const arrived = async () =>
    (await shop.call('addresses', { limit: 1000 })).addresses.find((each) => each.address === to);
  await until('arrived', async () => ((await arrived())?.outputs ?? 0) >= 2);
  const found = await arrived();
  assert.deepEqual([found?.balance, found?.outputs], ['0.75000000', 2]);
});
