/**
 * Pays withdrawals out of a wallet that holds one coin, from many callers at once, with a float and without one. A call that is
 * refused is repeated under its name after half a second, as the guide says. Node and daemon are processes of their own.
 *
 * Usage: node tools/bootstrap.mjs packages/wallet/test/float-campaign.ts [--withdrawals 1000] [--float 1000] [--without 1000]
 *   [--callers 32] [--cut-time 250ms]
 *
 * `--without` says how many are paid without a float, where each waits for the change of the one before; 0 leaves that out.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createWalletClient, type WalletClient, WalletRpcError } from 'svc-client';
import { DEVELOPMENT_MNEMONIC } from 'svc-ledger';
import { addressFromPublicKey, init, WalletRoot } from 'svc-wasm';
import { initWallet } from '../src/file/open-wallet-file.ts';
import { ensureToken, tokenPath } from '../src/file/token.ts';
import { CHEAP, startDaemon } from './testing/daemon.ts';
import { patiently } from './testing/patiently.ts';
import { daemonProgram, nodeProgram, ServerProcess } from './testing/server-process.ts';

const { values } = parseArgs({
  options: {
    withdrawals: { type: 'string', default: '1000' },
    float: { type: 'string' },
    without: { type: 'string' },
    callers: { type: 'string', default: '32' },
    'cut-time': { type: 'string', default: '250ms' },
  },
});
const withdrawals = Number(values.withdrawals);
const callers = Number(values.callers);
const REPEAT_MILLIS = 500;
const REFUSALS = /^svc_wallet_refusals_total\{kind="(\w+)"\} ([1-9][0-9]*)$/gm;

interface Way {
  /** Outputs that the float has; 0 for none. */
  readonly float: number;
  readonly withdrawals: number;
}

interface Payments {
  /** Refusals that each payment met. */
  readonly refusals: number[];
  /** How long calls took, in milliseconds: those that paid, and those that were refused. */
  readonly paid: number[];
  readonly refused: number[];
}

function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Callers take the next withdrawal each until all are paid. */
async function payAll(wallet: WalletClient, to: string, count: number): Promise<Payments> {
  const payments: Payments = { refusals: [], paid: [], refused: [] };
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) payments.refusals.push(await payOne(wallet, to, next++, payments));
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return payments;
}

/** Repeats a payment until it has a result; answers how often it was refused. */
async function payOne(
  wallet: WalletClient,
  to: string,
  number: number,
  { paid, refused }: Payments,
): Promise<number> {
  for (let refusals = 0; ; refusals++) {
    const started = performance.now();
    try {
      await wallet.call('send', { to, amount: '1', request_id: `withdrawal-${number}` });
      paid.push(performance.now() - started);
      return refusals;
    } catch (error) {
      if (!(error instanceof WalletRpcError)) throw error;
      if (error.retry === 'never' && !error.funds?.repeat_after) throw error;
      refused.push(performance.now() - started);
    }
    await delay(REPEAT_MILLIS);
  }
}

async function heightOf(wallet: WalletClient): Promise<number> {
  return (await wallet.call('status', {})).node_height ?? 0;
}

async function untilSettled(wallet: WalletClient): Promise<void> {
  const open = async (): Promise<number> => (await wallet.call('status', {})).open_transactions;
  await patiently('every payment is final', async () => (await open()) === 0);
}

/** Fills a new wallet with one coin, and waits until its float is whole; answers how many cuts that took. */
async function prepare(rich: WalletClient, hot: WalletClient, way: Way): Promise<number> {
  await patiently(
    'following',
    async () => (await hot.call('status', {})).scan.phase === 'following',
  );
  const { address } = await hot.call('new_address', {});
  const amount = String(way.withdrawals * 2 + 10);
  await rich.call('send', { to: address, amount, request_id: `refill-${way.float}` });
  await patiently('refilled', async () => (await hot.call('balance', {})).outputs > 0);
  const from = await heightOf(hot);
  const isWhole = async (): Promise<boolean> => {
    const { float, open_transactions } = await hot.call('status', {});
    return open_transactions === 0 && (float?.free ?? 0) >= way.float;
  };
  await patiently('the float is whole', isWhole);
  return (await heightOf(hot)) - from;
}

function describe(way: Way, payments: Payments, more: Record<string, unknown>): string {
  const { refusals, paid, refused } = payments;
  const round = (value: number): number => Math.round(value);
  return JSON.stringify({
    ...way,
    callers,
    ...more,
    calls: paid.length + refused.length,
    refusalsOfPayment: {
      none: refusals.filter((count) => count === 0).length,
      mean: refusals.reduce((sum, count) => sum + count, 0) / refusals.length,
      p50: percentile(refusals, 0.5),
      p99: percentile(refusals, 0.99),
      most: Math.max(...refusals),
    },
    millisOfCall: {
      paidP50: round(percentile(paid, 0.5)),
      paidP99: round(percentile(paid, 0.99)),
      allP99: round(percentile([...paid, ...refused], 0.99)),
    },
  });
}

async function measure(rich: WalletClient, node: ServerProcess, way: Way): Promise<string> {
  const file = join(directory, `hot-${way.float}`);
  const wallet = { path: file, network: 'development', password: null } as const;
  await initWallet({ ...wallet, nowMillis: Date.now(), cost: CHEAP });
  const token = ensureToken(tokenPath(file));
  const more = way.float === 0 ? [] : ['--float', `${way.float}x1`];
  const metrics = ['--metrics-bind', '127.0.0.1:0'];
  const daemon = await ServerProcess.start(daemonProgram(file, node.url, [...more, ...metrics]));
  try {
    const hot = createWalletClient({ url: daemon.url, token });
    const preparedInCuts = await prepare(rich, hot, way);
    using stranger = WalletRoot.fromEntropy(crypto.getRandomValues(new Uint8Array(32)));
    const to = addressFromPublicKey(stranger.derivePublicKey(0, 0, 0), 'development');
    const [from, started] = [await heightOf(hot), performance.now()];
    const payments = await payAll(hot, to, way.withdrawals);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const cuts = (await heightOf(hot)) - from;
    const { metrics_url: url = '' } = daemon.facts;
    const text = await (await fetch(url)).text();
    const kinds = [...text.matchAll(REFUSALS)].map(([, kind, count]) => [kind, Number(count)]);
    await untilSettled(hot);
    const answer = await fetch(`${node.url}/v1/address/${to}/balance`);
    const arrived = ((await answer.json()) as { utxos: number }).utxos;
    assert.equal(arrived, way.withdrawals, 'each arrived once');
    const refused = Object.fromEntries(kinds);
    return describe(way, payments, { preparedInCuts, seconds, cuts, refused });
  } finally {
    await daemon.close();
  }
}

await init();
// Whoever ends the campaign ends its programs.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(1));
const directory = mkdtempSync(join(tmpdir(), 'svc-float-'));
const node = await ServerProcess.start(nodeProgram(directory, values['cut-time']));
try {
  mkdirSync(join(directory, 'rich'));
  const { url: service } = node;
  const words = DEVELOPMENT_MNEMONIC;
  const rich = await startDaemon({ directory: join(directory, 'rich'), service, words });
  const client = createWalletClient(rich);
  const ways: readonly Way[] = [
    { float: Number(values.float ?? withdrawals), withdrawals },
    { float: 0, withdrawals: Number(values.without ?? withdrawals) },
  ];
  for (const way of ways.filter((each) => each.withdrawals > 0))
    process.stdout.write(`${await measure(client, node, way)}\n`);
  await rich.close();
} finally {
  await node.close();
  rmSync(directory, { recursive: true, force: true });
}
