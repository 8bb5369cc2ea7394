import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { METHOD_LIST, type MethodName, RPC_ERRORS } from 'svc-api/rpc';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { createClient } from 'svc-client';
import { init } from 'svc-wasm';
import { fromHex } from 'svc-wasm/base';
import { createManifest } from 'svc-wasm/protocol';
import type { Wallet } from '../src/wallet.ts';
import { CutProxy } from './testing/cut-proxy.ts';
import { RefusedCall, refused, startDaemon, type TestDaemon } from './testing/daemon.ts';
import { fastClock } from './testing/fast-clock.ts';
import { FaultProxy } from './testing/fault-proxy.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { openWallet, until } from './testing/open-wallet.ts';
import { newWords } from './testing/words.ts';

let net: TestNetwork;
const ended: (() => void)[] = [];

async function following(daemon: TestDaemon): Promise<void> {
  await until(
    'following',
    async () => (await daemon.call('status', {})).scan.phase === 'following',
  );
}

/** In place of a lie: another answer altogether. */
class OtherAnswer {
  readonly status: number;
  readonly document: object;

  constructor(status: number, code: string) {
    this.status = status;
    this.document = { api_version: 1, error: { code, message: code }, retry_after_millis: 10 };
  }
}

/** A document whose proof or list of changes has another digit in its middle; undefined for every other document. */
function altered(document: Record<string, unknown>): Record<string, unknown> | undefined {
  for (const field of ['proof_hex', 'leaves_base64']) {
    const text = document[field];
    if (typeof text !== 'string' || text.length < 2) continue;
    const at = text.length >> 1;
    const other = text[at] === '1' ? '2' : '1';
    return { ...document, [field]: text.slice(0, at) + other + text.slice(at + 1) };
  }
  return undefined;
}

/** A node that lies in one answer and passes the rest on. */
async function liar(
  path: string,
  lie: (document: Record<string, unknown>) => unknown,
): Promise<{ url: string; submissions: string[]; server: Server }> {
  const submissions: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    const answer = async (): Promise<void> => {
      const body = new Uint8Array(Buffer.concat(parts));
      if (request.url === '/v1/transactions') submissions.push(Buffer.from(body).toString());
      const answered = await fetch(`${net.url}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(request.method === 'POST' ? { body } : {}),
      });
      const document = (await answered.json()) as Record<string, unknown>;
      const told = request.url?.startsWith(path) === true ? await lie(document) : document;
      const isOther = told instanceof OtherAnswer;
      const status = isOther ? told.status : answered.status;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isOther ? told.document : told));
    };
    request.on('end', () => void answer());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ended.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, submissions, server };
}

describe('what a daemon believes of its node', () => {
  before(async () => {
    await init();
    net = await startTestNetwork();
    await net.network.mine(1);
  });

  after(async () => {
    await net.close();
    for (const end of ended) end();
  });

  /** A daemon that follows this node, and one payment to make with it. */
  async function payerAt(t: TestContext, service: string): Promise<() => Promise<unknown>> {
    const directory = temporaryDirectory(t);
    const daemon = await startDaemon({ directory, service, words: net.words });
    t.after(() => daemon.close());
    await following(daemon);
    const { address } = await daemon.call('new_address', {});
    return () => daemon.call('send', { to: address, amount: '1', request_id: 'a' });
  }

  test('a node that names a higher fee than the wallet pays gets no transaction', async (t) => {
    const { chain_id } = await createClient({ url: net.url }).chainHead();
    const dear = createManifest('development', fromHex(chain_id), { min_fee_per_mass: 1_000_000n });
    const { submissions, url } = await liar('/v1/transactions/manifest', () =>
      JSON.parse(dear.json),
    );
    const sent = await payerAt(t, url);
    await assert.rejects(sent(), (error: RefusedCall) => error.data['kind'] === 'fee_above_cap');
    assert.deepEqual(submissions, []);
  });

  test('a node that lies about an amount is not believed, and gets no payment', async (t) => {
    const { submissions, url } = await liar('/v1/', (document) => altered(document) ?? document);
    const directory = temporaryDirectory(t);
    const daemon = await startDaemon({ directory, service: url, words: net.words });
    t.after(() => daemon.close());
    const lastError = async () => (await daemon.call('status', {})).scan.last_error ?? '';
    await until('noticed', async () =>
      /does not prove|conceals|not believed/.test(await lastError()),
    );
    const payment = daemon.call('burn', { amount: '1', request_id: 'a' });
    await assert.rejects(payment, ({ code }: RefusedCall) => code === -32001 || code === -32003);
    assert.deepEqual(submissions, []);
  });

  /** Makes a cut only when the wallets have read the one before: nothing expires because a wallet is slow. */
  async function pacedUntil(
    what: string,
    holds: () => boolean,
    wallets: readonly Wallet[],
  ): Promise<void> {
    await until(what, async () => {
      if (holds()) return true;
      const height = await net.network.mine(1);
      for (const { scanner } of wallets)
        await until('followed', () => scanner.indexedHeight >= height);
      return false;
    });
  }

  const requestOf = (requestId: string, to: string, amount: string) => ({
    requestId,
    method: 'send',
    params: { recipients: [{ to, amount }] },
    isAutomatic: false,
  });

  test('a payment whose coin is spent otherwise is dead when that is proven, and not on the word of a node', async (t) => {
    const lie = { isOn: false, told: 0 };
    const { url } = await liar('/v1/', (document) => {
      const told = lie.isOn ? altered(document) : undefined;
      if (told !== undefined) lie.told++;
      return told ?? document;
    });
    const proxy = await FaultProxy.start(net.url);
    const words = newWords();
    const open = async (service: string, seed = words): Promise<Wallet> => {
      const options = { directory: temporaryDirectory(t), service, words: seed };
      const wallet = await openWallet({ ...options, requestTimeoutMillis: 2_000 });
      wallet.start();
      t.after(() => wallet.close());
      await until('following', () => wallet.scanner.progress.phase === 'following');
      return wallet;
    };
    const rich = await open(net.url, net.words);
    const lied = await open(url);
    const cut = await open(proxy.url);
    t.after(() => proxy.close());
    const to = cut.keychain.issue(0, null).address;
    await rich.outgoing.perform(requestOf('coin', to, '500000000'));
    const seen = (wallet: Wallet): boolean => wallet.state.outputs.totals().outputCount === 1;
    await pacedUntil('seen', () => seen(cut) && seen(lied), [rich, lied, cut]);
    proxy.behave('timeout', Number.MAX_SAFE_INTEGER);
    const elsewhere = rich.keychain.issue(0, null).address;
    const waiting = cut.outgoing.perform(requestOf('waiting', elsewhere, '100000000'));
    await assert.rejects(waiting, { kind: 'outcome_unknown' });
    await lied.outgoing.perform(requestOf('paid', elsewhere, '200000000'));
    lie.isOn = true;
    const only = (wallet: Wallet) => wallet.state.journal.transaction(1);
    await pacedUntil('settled', () => only(cut).outcome !== null, [cut]);
    assert.equal(only(cut).outcome, 'conflict');
    assert.equal((JSON.parse(only(cut).proof ?? '{}') as { proven?: boolean }).proven, true);
    await until('told twice', () => lie.told > 2, net);
    const { indexedHeight } = lied.scanner;
    const toldBefore = lie.told;
    await until('told again', () => lie.told > toldBefore + 2, net);
    assert.throws(() => lied.history.expectAgreement(), { kind: 'node_not_believed' });
    assert.equal(lied.scanner.indexedHeight, indexedHeight, 'the lie is not taken');
    assert.equal(only(lied).outcome, null, 'nothing is paid again on the word of a node');
  });

  test('a node that is busy, behind or incomplete is told of by name', async (t) => {
    let other = new OtherAnswer(503, 'overloaded');
    const { url } = await liar('/v1/staking/validators', () => other);
    const daemon = await startDaemon({ directory: temporaryDirectory(t), service: url });
    t.after(() => daemon.close());
    const refusals: unknown[] = [];
    for (const answer of [
      other,
      new OtherAnswer(503, 'not_synced'),
      new OtherAnswer(404, 'unknown_route'),
    ]) {
      other = answer;
      await daemon.call('validators', {}).catch((error: RefusedCall) => {
        refusals.push([error.code, error.data['kind'], error.data['retry']]);
      });
    }
    assert.deepEqual(refusals, [
      [-32001, 'node_busy', 'later'],
      [-32001, 'node_not_synced', 'later'],
      [-32000, 'not_offered', 'never'],
    ]);
  });

  test('while one operation waits for its node another is told that the wallet is busy', async (t) => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url } = await liar('/v1/staking/positions', async (document) => {
      await held;
      return document;
    });
    const daemon = await startDaemon({
      directory: temporaryDirectory(t),
      service: url,
      words: net.words,
      clock: fastClock(50),
    });
    t.after(() => daemon.close());
    await following(daemon);
    const { address: to } = await daemon.call('new_address', {});
    const position = 'ab'.repeat(48);
    const first = daemon.call('unstake', { position, request_id: 'slow' });
    const ended = assert.rejects(
      first,
      (error: RefusedCall) => error.data['kind'] === 'unknown_position',
    );
    const second = daemon.call('send', { to, amount: '1', request_id: 'waiting' });
    await assert.rejects(second, (error: RefusedCall) => {
      assert.deepEqual([error.code, error.data['kind']], [-32003, 'wallet_busy']);
      return true;
    });
    release();
    await ended;
    assert.equal(
      (await daemon.call('send', { to, amount: '1', request_id: 'waiting' })).duplicate,
      false,
    );
  });

  test('answers that break the contract are none', async (t) => {
    const { url } = await liar('/v1/node/sync', (document) => ({
      ...document,
      finalized_height: 'high',
    }));
    const daemon = await startDaemon({ directory: temporaryDirectory(t), service: url });
    t.after(() => daemon.close());
    await until('noticed', async () => (await daemon.call('status', {})).scan.last_error !== null);
    assert.match((await daemon.call('status', {})).scan.last_error ?? '', /breaks the contract/);
  });

  test('with a pinned identity only answers that it signed are believed', async (t) => {
    const { identity } = await createClient({ url: net.url }).nodeIdentity();
    const daemon = await startDaemon({
      directory: temporaryDirectory(t),
      service: net.url,
      identity,
      words: net.words,
    });
    t.after(() => daemon.close());
    await following(daemon);
    assert.notEqual((await daemon.call('balance', {})).balance, '0.00000000');
    const other = `${identity.slice(0, -1)}${identity.endsWith('0') ? '1' : '0'}`;
    const wary = await startDaemon({
      directory: temporaryDirectory(t),
      service: net.url,
      identity: other,
    });
    t.after(() => wary.close());
    await until('noticed', async () => (await wary.call('status', {})).scan.last_error !== null);
    assert.match((await wary.call('status', {})).scan.last_error ?? '', /another identity/);
  });

  test('[WALLET-20] a daemon waits for the node that it was given, and asks no other', async (t) => {
    const proxy = await CutProxy.start();
    t.after(() => proxy.close());
    const asked = new Set<number>();
    // Wallets of other tests in this process may still close their connections.
    const own = new AsyncLocalStorage<boolean>();
    const attempted = (message: unknown): void => {
      if (own.getStore() !== true) return;
      const { socket } = message as { socket: Socket };
      socket.on('connectionAttempt', (_, port) => asked.add(port));
    };
    subscribe('net.client.socket', attempted);
    t.after(() => unsubscribe('net.client.socket', attempted));
    const options = { directory: temporaryDirectory(t), service: proxy.url, words: net.words };
    const daemon = await own.run(true, () => startDaemon({ ...options, clock: fastClock(10) }));
    t.after(() => daemon.close());
    const port = Number(new URL(proxy.url).port);
    const isReachable = async () => (await daemon.call('status', {})).node_reachable;
    await until('noticed', async () => (await daemon.call('status', {})).scan.last_error !== null);
    assert.equal(await isReachable(), false);
    assert.deepEqual([...asked], [port]);
    proxy.leadTo(net.url);
    await following(daemon);
    proxy.leadTo(null);
    proxy.cut();
    await until('noticed again', async () => !(await isReachable()));
    assert.notEqual((await daemon.call('balance', {})).balance, '0.00000000');
    proxy.leadTo(net.url);
    await until('back', isReachable);
    assert.deepEqual([...asked], [port]);
  });

  test('after a start no address is given out before the head of the node was reached', async (t) => {
    const directory = temporaryDirectory(t);
    const first = await startDaemon({ directory, service: net.url });
    await following(first);
    const named = { request_id: 'customer' };
    const given = await first.call('new_address', named);
    await first.close();
    const proxy = await CutProxy.start();
    t.after(() => proxy.close());
    const clock = fastClock(10);
    const daemon = await startDaemon({ directory, service: proxy.url, isNew: false, clock });
    t.after(() => daemon.close());
    for (const call of [daemon.call('new_address', {}), daemon.call('receive', {})]) {
      const { data } = await refused(-32003, 'rescanning', call);
      assert.match(String(data['hint']), /repeat it once status shows the phase following/);
    }
    const again = await daemon.call('new_address', named);
    assert.deepEqual([again.address, again.duplicate], [given.address, true]);
    proxy.leadTo(net.url);
    await following(daemon);
    assert.equal((await daemon.call('new_address', {})).index, given.index + 1);
  });

  test('a node on another machine that is not pinned is warned of', async (t) => {
    const warnings: string[] = [];
    const log = {
      ...SILENT_LOG,
      warn: (_: object, message: string) => void warnings.push(message),
    };
    const directory = temporaryDirectory(t);
    const start = (service: string, more: { identity?: string; isNew?: boolean }) =>
      startDaemon({ directory, service, log, ...more });
    await (await start('http://0.0.0.0:1', {})).close();
    assert.match(warnings.join(), /pin it with --identity/);
    warnings.length = 0;
    await (await start('http://127.0.0.1:1', { isNew: false })).close();
    await (await start('http://0.0.0.0:1', { isNew: false, identity: 'ab'.repeat(48) })).close();
    assert.doesNotMatch(warnings.join(), /--identity/);
  });

  test('every example of the reference gets a result or a refusal that its page names', async (t) => {
    const daemon = await startDaemon({
      directory: temporaryDirectory(t),
      service: net.url,
      words: net.words,
    });
    t.after(() => daemon.close());
    await following(daemon);
    const { address } = await daemon.call('new_address', {});
    const example = /dsvc1[0-9a-z]{80,}/g;
    for (const {
      errors,
      example: { params },
      group,
      name,
    } of METHOD_LIST) {
      if (group === 'events' || name === 'rescan') continue;
      const call = JSON.parse(JSON.stringify(params).replaceAll(example, address)) as never;
      try {
        await daemon.call(name as MethodName, call);
      } catch (error) {
        assert.ok(error instanceof RefusedCall, String(error));
        const kind = error.data['kind'] as keyof typeof RPC_ERRORS;
        const isNamed =
          (errors as readonly string[]).includes(kind) || RPC_ERRORS[kind].code === -32602;
        assert.ok(isNamed, `${name}: ${error.message}`);
      }
    }
  });
});
