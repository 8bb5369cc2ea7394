import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { addressFromPublicKey, init, WalletRoot } from 'svc-wasm';
import { initWallet } from '../src/file/open-wallet-file.ts';
import { beginRestore } from '../src/state/readings.ts';
import { CHEAP, refused, startDaemon, type TestDaemon } from './testing/daemon.ts';
import { fastClock } from './testing/fast-clock.ts';
import { FaultProxy } from './testing/fault-proxy.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { until as untilOn } from './testing/open-wallet.ts';

let net: TestNetwork;
let proxy: FaultProxy;
let daemon: TestDaemon;
const ended: (() => void)[] = [];

interface Payment {
  readonly to: string;
  readonly amount: string;
  readonly request_id: string;
}

let strangers: WalletRoot;
let given = 0;

/** Makes a cut, and the next when the wallet has seen that one: a payment must not expire because a wallet is slow. */
const until = (what: string, holds: () => boolean | Promise<boolean>): Promise<void> =>
  untilOn(what, async () => {
    if (await holds()) return true;
    const height = await net.network.mine(1);
    await untilOn(
      'the wallet follows',
      async () => (await daemon.call('status', {})).indexed_height >= height,
    );
    return false;
  });

function stranger(): string {
  return addressFromPublicKey(strangers.derivePublicKey(0, 0, given++), 'development');
}

async function balanceOf(address: string): Promise<string> {
  const response = await fetch(`${net.url}/v1/address/${address}/balance`);
  return ((await response.json()) as { balance: string }).balance;
}

describe('what goes wrong between wallet and node', () => {
  before(async () => {
    await init();
    strangers = WalletRoot.fromEntropy(new Uint8Array(32).fill(9));
    net = await startTestNetwork();
    proxy = await FaultProxy.start(net.url);
    const context = { after: (end: () => void) => void ended.push(end) } as never;
    daemon = await startDaemon({
      directory: temporaryDirectory(context),
      service: proxy.url,
      words: net.words,
      requestTimeoutMillis: 5_000,
      clock: fastClock(10),
    });
    await untilOn(
      'following',
      async () => (await daemon.call('status', {})).scan.phase === 'following',
    );
  });

  after(async () => {
    await daemon.close();
    await proxy.close();
    await net.close();
    strangers.free();
    for (const end of ended) end();
  });

  test('[RPCERR-03] an unknown outcome is told as such, and the daemon goes on until it is paid once', async () => {
    const to = stranger();
    const params = { to, amount: '0.25', request_id: 'unknown-1' };
    proxy.behave('timeout', 1);
    const error = await refused(-32002, 'outcome_unknown', daemon.call('send', params));
    assert.equal(error.data['retry'], 'same_request_id');
    const id = error.data['transaction'] as string;
    assert.equal((await daemon.call('pending', {})).transactions[0]?.transaction, id);
    await until('paid', async () => (await balanceOf(to)) === '25000000');
    await until(
      'settled',
      async () => (await daemon.call('pending', {})).transactions.length === 0,
    );
    const again = await daemon.call('send', params);
    assert.deepEqual([again.duplicate, again.transaction, again.outcome], [true, id, 'finalized']);
    assert.equal(await balanceOf(to), '25000000');
  });

  test('a lost answer is no unknown outcome when the node knows the transaction', async () => {
    proxy.behave('answer_lost', 1);
    const sent = await daemon.call('send', {
      to: stranger(),
      amount: '0.25',
      request_id: 'lost-1',
    });
    assert.deepEqual([sent.submitted, sent.duplicate], [true, false]);
    await until(
      'settled',
      async () => (await daemon.call('pending', {})).transactions.length === 0,
    );
  });

  test('payments of one batch go to the node in one request, and a repeated request_id pays once', async () => {
    const [before, submissions] = [proxy.submitted.length, proxy.submissions];
    const payments = Array.from({ length: 6 }, (_, at) => {
      return { to: stranger(), amount: '0.01', request_id: `batch-${at}` };
    });
    const calls = [...payments, ...payments.slice(0, 2)];
    const batch = calls.map((params, id) => ({ jsonrpc: '2.0', id, method: 'send', params }));
    const status = { jsonrpc: '2.0', id: 'last', method: 'pending', params: {} };
    const { body } = await daemon.raw([...batch, { ...status, id: 'bad', params: 1 }, status]);
    const answers = body as unknown as { id: unknown; result: Record<string, unknown> }[];
    assert.deepEqual(
      answers.map(({ id }) => id),
      [0, 1, 2, 3, 4, 5, 6, 7, 'bad', 'last'],
    );
    const paid = answers.slice(0, 6).map(({ result }) => result['transaction']);
    assert.equal(new Set(paid).size, 6);
    assert.deepEqual(
      answers.slice(6, 8).map(({ result }) => [result['transaction'], result['duplicate']]),
      [
        [paid[0], true],
        [paid[1], true],
      ],
    );
    const pending = answers.at(-1)?.result['transactions'] as unknown[];
    assert.equal(pending.length, 6);
    assert.deepEqual([proxy.submitted.length - before, proxy.submissions - submissions], [6, 1]);
    await until('settled', async () => {
      return (await daemon.call('pending', {})).transactions.length === 0;
    });
    for (const { to } of payments) assert.equal(await balanceOf(to), '1000000');
  });

  test('a busy node is waited for', async () => {
    proxy.behave('busy_503', 2);
    const params = { to: stranger(), amount: '0.25', request_id: 'busy-1' };
    // On a slow machine the patience of a call may end before the node takes the payment.
    await untilOn('submitted', async () => (await daemon.call('send', params)).submitted);
  });

  test('a payment that the node keeps asking to wait with is recorded, and sent until it is paid once', async () => {
    const to = stranger();
    const params = { to, amount: '0.25', request_id: 'waiting-1' };
    proxy.behave('busy_429', Number.MAX_SAFE_INTEGER);
    const sent = await daemon.call('send', params);
    assert.deepEqual([sent.submitted, sent.duplicate], [false, false]);
    const again = await daemon.call('send', params);
    assert.deepEqual([again.submitted, again.duplicate], [false, true]);
    assert.equal(again.transaction, sent.transaction);
    const { transactions } = await daemon.call('pending', {});
    assert.ok(transactions.some(({ transaction }) => transaction === sent.transaction));
    proxy.behave('ok', 0);
    await until('paid', async () => (await balanceOf(to)) === '25000000');
    await until(
      'settled',
      async () => (await daemon.call('pending', {})).transactions.length === 0,
    );
    assert.equal((await daemon.call('send', params)).outcome, 'finalized');
    assert.equal(await balanceOf(to), '25000000');
  });

  test('several payments wait for a busy node, and all get there', async () => {
    proxy.behave('busy_429', 8);
    proxy.submitted.length = 0;
    const calls = [0, 1, 2, 3].map((number) => ({
      to: stranger(),
      amount: '0.25',
      request_id: `line-${number}`,
    }));
    await untilOn('all are submitted', async () => {
      const sent = await Promise.all(calls.map((params) => daemon.call('send', params)));
      return sent.every(({ submitted }) => submitted);
    });
    assert.equal(new Set(proxy.submitted).size, 4);
    await until(
      'settled',
      async () => (await daemon.call('pending', {})).transactions.length === 0,
    );
  });

  test('a payment that a full mempool has no room for holds up no other one', async () => {
    const calls = [0, 1].map((number): Payment => {
      return { to: stranger(), amount: '0.25', request_id: `no-room-${number}` };
    });
    proxy.behave('mempool_full', Number.MAX_SAFE_INTEGER);
    const sent = await Promise.all(calls.map((params) => daemon.call('send', params)));
    const at = sent.findIndex(({ submitted }) => !submitted);
    assert.deepEqual([sent[at]?.submitted, sent[1 - at]?.submitted], [false, true]);
    const [waits, goes] = [calls[at], calls[1 - at]] as [Payment, Payment];
    await until('the other one is paid', async () => (await balanceOf(goes.to)) === '25000000');
    // Its attempts were taken back: the wallet knows that it is not on its way.
    const again = await daemon.call('send', waits);
    assert.deepEqual([again.submitted, again.duplicate], [false, true]);
    assert.equal(again.transaction, sent[at]?.transaction);
    proxy.behave('ok', 0);
    await until('paid', async () => (await balanceOf(waits.to)) === '25000000');
    await until(
      'settled',
      async () => (await daemon.call('pending', {})).transactions.length === 0,
    );
  });

  test('[RPCERR-04] before history was read nothing is spent', async () => {
    await until(
      'settled',
      async () => (await daemon.call('pending', {})).transactions.length === 0,
    );
    const letReadsPass = proxy.holdReads();
    const { state } = daemon.running.wallet;
    state.database.transaction(() => beginRestore(state));
    const params = { to: stranger(), amount: '0.25', request_id: 'rescan-1' };
    const error = await refused(-32003, 'rescanning', daemon.call('send', params));
    assert.equal(error.data['retry'], 'later');
    letReadsPass();
    await untilOn('read', () => !daemon.running.wallet.scanner.isRestoring);
    assert.equal((await daemon.call('send', params)).duplicate, false);
  });

  test('[RPCERR-06] a refused transaction is never sent again, holds its outputs until it is provably dead, then frees them', async () => {
    await until(
      'settled',
      async () => (await daemon.call('pending', {})).transactions.length === 0,
    );
    const to = stranger();
    const params = { to, amount: '0.25', request_id: 'refused-1' };
    // The node asks to wait before it refuses: the refusal is the first verdict all the same, and is certain.
    proxy.behave('busy_429', Number.MAX_SAFE_INTEGER);
    assert.equal((await daemon.call('send', params)).submitted, false);
    proxy.behave('refused', 1);
    proxy.submitted.length = 0;
    const error = await refused(-32004, 'node_refused', daemon.call('send', params));
    assert.deepEqual([error.data['retry'], error.data['node_code']], ['never', 'fee_too_low']);
    const again = await refused(-32004, 'node_refused', daemon.call('send', params));
    assert.equal(again.data['duplicate'], true);
    assert.equal(proxy.submitted.length, 1);
    const held = (await daemon.call('balance', {})).reserved;
    assert.notEqual(held, '0.00000000');
    await net.network.mine(60);
    assert.equal((await daemon.call('balance', {})).reserved, held);
    const socket = await daemon.socket();
    await socket.call('subscribe', { events: ['settled'] });
    await net.network.mine(61);
    await until('settled', () => socket.of('settled').length === 1);
    const settled: Record<string, unknown> = socket.of('settled')[0]?.params ?? {};
    assert.deepEqual([settled['outcome'], settled['request_id']], ['expired', 'refused-1']);
    assert.equal((await daemon.call('balance', {})).reserved, '0.00000000');
    const dead = await daemon.call('transaction', {
      transaction: error.data['transaction'] as string,
    });
    const proof = dead.proof as { proven: boolean; proofs: unknown[]; finalized_height: number };
    assert.deepEqual([dead.outcome, proof.proven, proof.proofs.length], ['expired', true, 1]);
    assert.ok(proof.finalized_height >= (dead.valid_until_height ?? Number.MAX_SAFE_INTEGER));
    assert.deepEqual([proxy.submitted.length, await balanceOf(to)], [1, '0']);
    socket.close();
  });

  test('a refused payment is cancelled: its coins are free within a few cuts, and it can never be executed', async () => {
    const payment = { to: stranger(), amount: '0.25', request_id: 'refused-2' };
    proxy.behave('refused', 1);
    const error = await refused(-32004, 'node_refused', daemon.call('send', payment));
    assert.match(String(error.data['hint']), /cancel/);
    const cancellation = { payment: 'refused-2', request_id: 'cancel-refused-2' };
    const made = await daemon.call('cancel', cancellation);
    assert.equal(made.submitted, true);
    await until('settled', async () => {
      const { outcome } = await daemon.call('request', { request_id: 'refused-2' });
      return outcome === 'conflict';
    });
    assert.equal((await daemon.call('cancel', cancellation)).outcome, 'finalized');
    assert.equal((await daemon.call('balance', {})).reserved, '0.00000000');
    const again = await refused(-32004, 'node_refused', daemon.call('send', payment));
    assert.equal(again.data['duplicate'], true);
    assert.equal(await balanceOf(payment.to), '0');
  });

  test('[WEVENT-03] a payment that leaves the mempool is told of as removed, and sent again by its wallet', async (t) => {
    const shopDirectory = temporaryDirectory(t);
    const shop = await startDaemon({ directory: shopDirectory, service: net.url });
    t.after(() => shop.close());
    await untilOn(
      'following',
      async () => (await shop.call('status', {})).scan.phase === 'following',
    );
    const socket = await shop.socket();
    await socket.call('subscribe', { events: ['unconfirmed', 'removed', 'finalized'] });
    const { address } = await shop.call('new_address', {});
    await net.network.mine(1);
    const sent = await daemon.call('send', { to: address, amount: '0.5', request_id: 'dropped-1' });
    await untilOn('seen', () => socket.of('unconfirmed').length === 1);
    assert.equal((await shop.call('incoming', {})).payments.length, 1);
    assert.equal((await shop.call('balance', {})).incoming, '0.50000000');
    const dropped = await fetch(`${net.url}/v1/dev/drop_transaction`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_version: 1, transaction_id: sent.transaction }),
    });
    assert.equal(((await dropped.json()) as { dropped?: boolean }).dropped, true);
    await untilOn('removed', () => socket.of('removed').length === 1);
    assert.equal(socket.of('removed')[0]?.params['transaction'], sent.transaction);
    // What is listed now was sent again meanwhile by the wallet that pays, and is told of a second time.
    const { payments } = await shop.call('incoming', {});
    if (payments.length > 0)
      await untilOn('seen again', () => socket.of('unconfirmed').length === 2);
    await until('finalized', () => socket.of('finalized').length === 1);
    assert.equal((await shop.call('balance', {})).balance, '0.50000000');
    socket.close();
  });

  test('a node of another chain is refused, and the wallet keeps to its own', async (t) => {
    const other = await startTestNetwork();
    t.after(() => other.close());
    const directory = temporaryDirectory(t);
    const first = await startDaemon({ directory, service: net.url });
    await untilOn(
      'following',
      async () => (await first.call('status', {})).scan.phase === 'following',
    );
    await first.close();
    const second = await startDaemon({ directory, isNew: false, service: other.url });
    t.after(() => second.close());
    await untilOn(
      'noticed',
      async () => (await second.call('status', {})).scan.last_error !== null,
    );
    const status = await second.call('status', {});
    assert.match(status.scan.last_error ?? '', /belongs to chain/);
    const sent = second.call('send', { to: stranger(), amount: '1', request_id: 'x' });
    await refused(-32000, 'wrong_chain', sent);
  });

  test('a new wallet whose node is of another network says so instead of reading for ever', async (t) => {
    const directory = temporaryDirectory(t);
    await initWallet({
      ...{ path: join(directory, 'wallet'), network: 'mainnet', password: null },
      ...{ nowMillis: Date.now(), cost: CHEAP },
    });
    const waiting = await startDaemon({ directory, isNew: false, service: net.url });
    t.after(() => waiting.close());
    await untilOn(
      'noticed',
      async () => (await waiting.call('status', {})).scan.last_error !== null,
    );
    for (const call of [
      waiting.call('new_address', {}),
      waiting.call('receive', {}),
      waiting.call('statement', { from_height: 0 }),
      waiting.call('compound', { request_id: 'x' }),
    ]) {
      const { message } = await refused(-32000, 'wrong_chain', call);
      assert.match(message, /the wallet is for mainnet, the node serves development/);
    }
  });
});
