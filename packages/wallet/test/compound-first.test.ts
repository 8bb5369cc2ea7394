/**
 * Payments that need more outputs than one transaction takes, from the dry run to a refusal that no restored backup forgets.
 * A wallet of nine outputs merges eight of them and leaves the ninth, which another payment can take meanwhile.
 */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { MethodResult } from 'svc-api/rpc';
import { temporaryDirectory } from 'svc-base/testing';
import { formatAmount, parseAmount } from 'svc-wasm';
import { digestOf, newToken } from '../src/file/token.ts';
import { TokenStore, tokensPath } from '../src/file/token-store.ts';
import { following, requestId, untilOn, World } from './daemon/world.ts';
import {
  RefusedCall,
  refused,
  startDaemon,
  type TestDaemon,
  type TestDaemonOptions,
} from './testing/daemon.ts';

const world = new World();

/** A daemon whose wallet has so many outputs of one coin each. */
async function shopWith(
  t: TestContext,
  outputs: number,
  options: Partial<TestDaemonOptions> = {},
): Promise<[TestDaemon, string]> {
  const directory = temporaryDirectory(t);
  const shop = await startDaemon({ directory, service: world.net.url, ...options });
  await following(shop);
  const { address: to } = await shop.call('new_address', {});
  for (let left = outputs; left > 0; left -= 7) {
    const recipients = Array.from({ length: Math.min(left, 7) }, () => ({ to, amount: '1' }));
    await world.rich.call('send_many', { recipients, request_id: requestId() });
  }
  await world.until('funded', async () => (await shop.call('balance', {})).outputs === outputs);
  await world.untilRead(shop);
  return [shop, directory];
}

async function lookAt(daemon: TestDaemon, request_id: string): Promise<MethodResult<'request'>> {
  return await daemon.call('request', { request_id });
}

/** Waits until outputs are being merged for a request; no cut is made, so that they stay so. */
async function untilMerging(daemon: TestDaemon, name: string): Promise<void> {
  await untilOn('merging', async () => {
    try {
      return (await lookAt(daemon, name)).transactions.length > 0;
    } catch (error) {
      if (error instanceof RefusedCall && error.data['kind'] === 'unknown_request') return false;
      throw error;
    }
  });
}

async function customer(): Promise<string> {
  return (await world.rich.call('new_address', {})).address;
}

const atoms = (coins: string): bigint => BigInt(parseAmount(coins));

describe('payments that outputs are merged for', () => {
  before(() => world.open());
  after(() => world.close());

  test('a refusal for good is one after a backup was restored too', async (t) => {
    let [shop, directory] = await shopWith(t, 9);
    t.after(() => shop.close());
    const { file: backup } = await shop.call('backup', {});
    const to = await customer();
    const big = { to, amount: '8.5', request_id: 'big', compound_first: true };
    const asked = shop.call('send', big);
    void asked.catch(() => {});
    await untilMerging(shop, 'big');
    await shop.call('send', { to, amount: '0.9', request_id: 'small' });
    const first = await refused(-32000, 'insufficient_funds', world.whileCutting(asked));
    assert.equal(first.data['retry'], 'never');
    assert.match(String(first.data['hint']), /nothing will be under this request_id/);
    const copy = readFileSync(`${shop.file}.journal`, 'utf8');
    assert.match(copy, /"newestRefused":"big"/, 'the copy has it before the caller');
    const { address: own } = await shop.call('new_address', {});
    await world.rich.call('send', { to: own, amount: '50', request_id: requestId() });
    await world.until(
      'refilled',
      async () => atoms((await shop.call('balance', {})).available) > 5_000_000_000n,
    );

    await shop.close();
    for (const end of ['-wal', '-shm']) rmSync(`${shop.file}.state${end}`, { force: true });
    copyFileSync(backup, `${shop.file}.state`);
    shop = await startDaemon({ directory, service: world.net.url, isNew: false });
    const found = await lookAt(shop, 'big');
    assert.deepEqual([found.state, found.refusal?.kind], ['refused', 'insufficient_funds']);
    await following(shop);
    await untilOn('recovered', async () => !(await shop.call('status', {})).recovering);
    const again = await refused(-32000, 'insufficient_funds', shop.call('send', big));
    assert.deepEqual([again.data['retry'], again.data['duplicate']], ['never', true]);
    const dry = shop.call('send', { ...big, dry_run: true });
    assert.equal((await refused(-32000, 'insufficient_funds', dry)).data['retry'], 'never');
  });

  test('a request that a backup brings back without its end goes on when it is asked for again', async (t) => {
    let [shop, directory] = await shopWith(t, 9);
    t.after(() => shop.close());
    const { file: backup } = await shop.call('backup', {});
    const to = await customer();
    const big = { to, amount: '8.5', request_id: 'big', compound_first: true };
    void shop.call('send', big).catch(() => {});
    await untilMerging(shop, 'big');
    await untilOn('sent', async () =>
      (await lookAt(shop, 'big')).transactions.every(({ state }) => state === 'known'),
    );
    await shop.close();
    for (const end of ['-wal', '-shm']) rmSync(`${shop.file}.state${end}`, { force: true });
    copyFileSync(backup, `${shop.file}.state`);
    for (const title of ['the first start', 'a further one']) {
      shop = await startDaemon({ directory, service: world.net.url, isNew: false });
      await following(shop);
      await world.until('merged', async () => {
        const { transactions } = await lookAt(shop, 'big');
        return transactions.every(({ outcome }) => outcome === 'finalized');
      });
      await world.untilRead(shop);
      const other = await refused(
        -32002,
        'outcome_unknown',
        shop.call('send', { ...big, amount: '1' }),
      );
      assert.equal(other.data['mismatch'], true, title);
      const looked = await lookAt(shop, 'big');
      assert.deepEqual([looked.held, looked.transactions.length], [true, 1], title);
      if (title === 'the first start') await shop.close();
    }
    const paid = await world.whileCutting(shop.call('send', big));
    assert.deepEqual([paid.amount, paid.duplicate], ['8.50000000', true]);
  });

  test('a restart goes on with a payment by itself, but not with a state that somebody had to accept', async (t) => {
    let [shop, directory] = await shopWith(t, 9);
    t.after(() => shop.close());
    const to = await customer();
    const big = { to, amount: '8.5', request_id: 'big', compound_first: true };
    void shop.call('send', big).catch(() => {});
    await untilMerging(shop, 'big');
    const restart = async (isStateAccepted: boolean): Promise<void> => {
      await shop.close();
      const again = { directory, service: world.net.url, isNew: false, isStateAccepted };
      shop = await startDaemon(again);
      await following(shop);
    };
    await restart(true);
    assert.equal((await lookAt(shop, 'big')).held, true);
    const dry = shop.call('send', { ...big, dry_run: true });
    const { data } = await refused(-32002, 'outcome_unknown', dry);
    assert.match(String(data['hint']), /before that nothing is paid/);
    void shop.call('send', big).catch(() => {});
    await untilOn('released', async () => (await lookAt(shop, 'big')).held === undefined);
    await restart(false);
    await world.until('paid', async () => (await lookAt(shop, 'big')).outcome === 'finalized');
  });

  test('a payment whose token is revoked while outputs are merged for it waits for one of the same budget', async (t) => {
    let [shop, directory] = await shopWith(t, 9);
    t.after(() => shop.close());
    const store = new TokenStore(tokensPath(shop.file));
    const make = (name: string, budget: string): string => {
      const token = newToken();
      const limits = { budget, paymentMax: null, dayMax: null, allowlist: null };
      const scopes = ['spend'] as const;
      store.create({ name, scopes, limits, digest: digestOf(token), createdAtMillis: 1 });
      return token;
    };
    const [first, next, stranger] = [make('a-1', 'a'), make('a-2', 'a'), make('b-1', 'b')];
    const to = await customer();
    const params = { to, amount: '8.5', request_id: 'big', compound_first: true };
    const call = { jsonrpc: '2.0', id: 1, method: 'send', params };
    const askAs = async (token: string) => {
      const { body } = await shop.raw(call, { authorization: `Bearer ${token}` });
      if (body.error !== undefined) throw new RefusedCall(body.error);
      return body.result;
    };
    const asked = askAs(first);
    void asked.catch(() => {});
    await untilMerging(shop, 'big');
    store.revoke('a-1');
    await refused(-32002, 'outcome_unknown', world.whileCutting(asked));
    for (const title of ['while it runs', 'after a restart']) {
      const { held, transactions } = await lookAt(shop, 'big');
      assert.deepEqual([held, transactions.length], [true, 1], title);
      const { data } = await refused(-32002, 'outcome_unknown', askAs(stranger));
      assert.match(String(data['hint']), /a token of the same budget/);
      assert.equal((await lookAt(shop, 'big')).held, true, title);
      if (title === 'after a restart') continue;
      await shop.close();
      shop = await startDaemon({ directory, service: world.net.url, isNew: false });
      await following(shop);
      await world.untilRead(shop);
    }
    const paid = await world.whileCutting(askAs(next));
    assert.deepEqual([paid?.['amount'], paid?.['duplicate']], ['8.50000000', true]);
  });

  test('a dry run shows the merges, their fees, and the most that the payment then takes', async (t) => {
    const [shop] = await shopWith(t, 9);
    t.after(() => shop.close());
    const to = await customer();
    const big = { to, amount: '8.5', request_id: 'big', compound_first: true };
    const { merges, ...dry } = await shop.call('send', { ...big, dry_run: true });
    assert.deepEqual(
      [
        dry.amount,
        dry.submitted,
        dry.duplicate,
        dry.dry_run,
        merges?.transactions,
        merges?.outputs,
      ],
      ['8.50000000', false, false, true, 1, 8],
    );
    await refused(-32000, 'unknown_request', lookAt(shop, 'big'));
    assert.deepEqual((await shop.call('pending', {})).transactions, []);
    const paid = await world.whileCutting(shop.call('send', big));
    // Keys that the merges bring into the registry make the payment cheaper.
    assert.ok(atoms(paid.fee) > 0n && atoms(dry.fee) >= atoms(paid.fee), `${dry.fee} ${paid.fee}`);
    const merged = (await lookAt(shop, 'big')).transactions.filter(
      ({ kind }) => kind === 'compound',
    );
    assert.deepEqual(
      merged.map(({ fee }) => fee),
      [merges?.fee],
    );
  });

  test('an amount that lacks nothing but the fees of merging is refused before anything is merged', async (t) => {
    const [shop] = await shopWith(t, 9);
    t.after(() => shop.close());
    const { fee } = await shop.call('sweep', {
      to: await customer(),
      request_id: 'all',
      dry_run: true,
    });
    const amount = formatAmount(String(900_000_000n - atoms(fee)));
    const all = { to: await customer(), amount, request_id: 'big', compound_first: true };
    const { data } = await refused(-32000, 'insufficient_funds', shop.call('send', all));
    assert.ok(atoms((data['funds'] as { missing: string }).missing) > 0n);
    await refused(-32000, 'unknown_request', lookAt(shop, 'big'));
    assert.deepEqual((await shop.call('pending', {})).transactions, []);
  });

  test('merges whose fee is above the cap are refused, and nothing is kept of the request', async (t) => {
    const [shop] = await shopWith(t, 9, { feeMax: 50_000n });
    t.after(() => shop.close());
    const to = await customer();
    for (const dry_run of [true, false]) {
      const big = { to, amount: '8.5', request_id: 'big', compound_first: true, dry_run };
      await refused(-32000, 'fee_above_cap', shop.call('send', big));
      await refused(-32000, 'unknown_request', lookAt(shop, 'big'));
    }
  });

  test('too many outputs are told with what lacks, in coins', async (t) => {
    const [shop] = await shopWith(t, 9);
    t.after(() => shop.close());
    const send = { to: await customer(), amount: '8.5', request_id: 'big' };
    const { data } = await refused(-32000, 'too_many_inputs', shop.call('send', send));
    assert.match(String(data['missing']), /^0\.50[0-9]{6}$/);
    assert.equal('missing_atoms' in data, false);
  });

  test('the budget of a day counts the fees of merging before anything is merged, and a refusal after it is for good', async (t) => {
    const [shop] = await shopWith(t, 17);
    t.after(() => shop.close());
    const to = await customer();
    const token = newToken();
    const limits = { budget: 'hot', paymentMax: null, dayMax: 1_650_000_000n, allowlist: null };
    const scopes = ['spend'] as const;
    const grant = { name: 'hot', scopes, limits, digest: digestOf(token), createdAtMillis: 1 };
    new TokenStore(tokensPath(shop.file)).create(grant);
    const pay = async (amount: string, request_id: string, more: object = {}) => {
      const params = { to, amount, request_id, compound_first: true, ...more };
      const call = { jsonrpc: '2.0', id: 1, method: 'send', params };
      const { body } = await shop.raw(call, { authorization: `Bearer ${token}` });
      if (body.error !== undefined) throw new RefusedCall(body.error);
      return body.result;
    };
    for (const dry_run of [true, false]) {
      const { data } = await refused(-32000, 'day_limit', pay('16.5', 'exact', { dry_run }));
      assert.equal(data['retry'], 'later');
    }
    await refused(-32000, 'unknown_request', lookAt(shop, 'exact'));
    assert.deepEqual((await shop.call('pending', {})).transactions, []);

    const asked = pay('15.9', 'big');
    void asked.catch(() => {});
    await untilMerging(shop, 'big');
    await pay('0.9', 'small');
    const first = await refused(-32000, 'day_limit', world.whileCutting(asked));
    assert.equal(first.data['retry'], 'never');
    const again = await refused(-32000, 'day_limit', pay('15.9', 'big'));
    assert.deepEqual([again.data['retry'], again.data['duplicate']], ['never', true]);
  });
});
