/**
 * Tokens with scopes and limits: made and revoked while the daemon runs, and budgets that no restart forgets.
 */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { METHOD_SCOPES, type MethodName, type Scope } from 'svc-api/rpc';
import { temporaryDirectory, until } from 'svc-base/testing';
import { digestOf, newToken } from '../../src/file/token.ts';
import { TokenStore, tokensPath } from '../../src/file/token-store.ts';
import type { SpendLimits } from '../../src/journal/limits.ts';
import { auditPath, readAudit } from '../../src/state/audit-file.ts';
import { type RpcBody, startDaemon, type TestDaemon, TestSocket } from '../testing/daemon.ts';
import { following, requestId, type World } from './world.ts';

const COIN = 100_000_000n;

function makeToken(
  { file }: Pick<TestDaemon, 'file'>,
  name: string,
  scopes: readonly Scope[],
  limits: SpendLimits | null = null,
): string {
  const token = newToken();
  const record = { name, scopes, limits, digest: digestOf(token), createdAtMillis: 1 };
  new TokenStore(tokensPath(file)).create(record);
  return token;
}

async function callAs(
  daemon: TestDaemon,
  token: string,
  method: string,
  params: object,
): Promise<RpcBody> {
  const call = { jsonrpc: '2.0', id: 1, method, params };
  return (await daemon.raw(call, { authorization: `Bearer ${token}` })).body;
}

const refusalOf = ({ error }: RpcBody): unknown => error?.data['kind'];

export function testTokens(world: World): void {
  test('a token allows the methods of its scopes and no others, over HTTP and the socket', async (t) => {
    const { rich } = world;
    const tokens = {
      read: makeToken(rich, 'reader', ['read']),
      deposit: makeToken(rich, 'cashier', ['deposit']),
      everything: makeToken(rich, 'operator', ['everything']),
    };
    for (const [scope, token] of Object.entries(tokens)) {
      const socket = await TestSocket.open(rich.url, token);
      t.after(() => socket.close());
      for (const method of Object.keys(METHOD_SCOPES) as MethodName[]) {
        const needed = METHOD_SCOPES[method];
        const isAllowed = needed === 'read' || needed === scope || scope === 'everything';
        // A parameter that no method has: what is allowed fails at it, and moves nothing.
        const refusal = isAllowed
          ? 'invalid_params'
          : scope === 'read'
            ? 'read_only'
            : 'out_of_scope';
        const params = { no_such_parameter: 1 };
        assert.equal(refusalOf(await callAs(rich, token, method, params)), refusal, method);
        const told = await socket.call(method, params);
        assert.equal(refusalOf(told), refusal, method);
        if (!isAllowed) assert.equal(told.error?.data['needed_scope'], needed);
      }
    }
    assert.equal(refusalOf(await callAs(rich, tokens.deposit, 'new_address', {})), undefined);
  });

  test('a new token works at once beside the old one, until that is revoked', async (t) => {
    const { rich } = world;
    const store = new TokenStore(tokensPath(rich.file));
    const old = makeToken(rich, 'rotated-1', ['read']);
    const socket = await TestSocket.open(rich.url, old);
    t.after(() => socket.close());
    const next = makeToken(rich, 'rotated-2', ['read']);
    for (const token of [old, next]) {
      assert.equal(refusalOf(await callAs(rich, token, 'status', {})), undefined);
    }
    assert.equal((await socket.call('status', {})).error, undefined);
    const closed = socket.closed();
    store.revoke('rotated-1');
    void socket.call('status', {});
    assert.equal(await closed, 1008);
    const { status } = await rich.raw('{}', { authorization: `Bearer ${old}` });
    assert.equal(status, 401);
    assert.equal(refusalOf(await callAs(rich, next, 'status', {})), undefined);
  });

  test('a token with limits cancels payments of its own budget, and one that is revoked pays nothing more', async (t) => {
    const { net, rich } = world;
    let onSubmit = (): void => {};
    const reached = (point: string): void => {
      if (point === 'before_submit') onSubmit();
    };
    const hot = await startDaemon({ directory: temporaryDirectory(t), service: net.url, reached });
    t.after(() => hot.close());
    await following(hot);
    const { address } = await hot.call('new_address', {});
    const recipients = Array.from({ length: 7 }, () => ({ to: address, amount: '5' }));
    await rich.call('send_many', { recipients, request_id: requestId() });
    await world.until(
      'the hot wallet has coins',
      async () => (await hot.call('balance', {})).outputs === 7,
    );
    await world.untilRead(hot);
    const { address: to } = await rich.call('new_address', {});
    const limits = { budget: 'own', paymentMax: COIN, dayMax: 3n * COIN, allowlist: [to] };
    const own = makeToken(hot, 'own-1', ['spend'], limits);
    const kin = makeToken(hot, 'own-2', ['spend'], limits);
    const other = makeToken(hot, 'other', ['spend'], { ...limits, budget: 'other' });

    await hot.call('send', { to, amount: '4', request_id: 'by-main' });
    const sent = await callAs(hot, own, 'send', { to, amount: '1', request_id: 'by-own' });
    assert.equal(refusalOf(sent), undefined);
    for (const [payment, token] of [
      ['by-main', own],
      ['by-own', other],
    ] as const) {
      for (const dry_run of [true, false]) {
        const cancel = { payment, request_id: 'strange', dry_run };
        assert.equal(refusalOf(await callAs(hot, token, 'cancel', cancel)), 'other_budget');
      }
      assert.equal((await hot.call('request', { request_id: payment })).cancelled_by, null);
    }
    const byKin = await callAs(hot, kin, 'cancel', { payment: 'by-own', request_id: 'kin' });
    assert.equal(refusalOf(byKin), undefined, JSON.stringify(byKin));
    await hot.call('cancel', { payment: 'by-main', request_id: 'main' });

    const { outgoing, state } = hot.running.wallet;
    const params = { recipients: [{ to, amount: '1' }] };
    const caller = { name: 'gone', limits: null, isValid: () => false };
    const waited = { requestId: 'waited', method: 'send', params, isAutomatic: false, caller };
    await assert.rejects(outgoing.perform(waited), { kind: 'token_revoked' });
    assert.equal(state.journal.findRequest('waited'), undefined);

    onSubmit = () => {
      onSubmit = () => {};
      new TokenStore(tokensPath(hot.file)).revoke('other');
    };
    const names = ['b-0', 'b-1', 'b-2'];
    const [first, ...rest] = names.map((request_id, id) => ({
      ...{ jsonrpc: '2.0', id, method: 'send' },
      params: { to, amount: '0.5', request_id },
    }));
    // The first payment is on its way before the next call begins; payments that follow each other are made at one moment.
    const status = { jsonrpc: '2.0', id: 'status', method: 'status', params: {} };
    const batch = [first, status, ...rest];
    const { body } = await hot.raw(batch, { authorization: `Bearer ${other}` });
    const answers = body as unknown as RpcBody[];
    const gone = 'token_revoked';
    assert.deepEqual(answers.map(refusalOf), [undefined, gone, gone, gone]);
    assert.equal(answers[1]?.error?.data['retry'], 'same_request_id');
    const recorded = names.map((name) => state.journal.findRequest(name) !== undefined);
    assert.deepEqual(recorded, [true, false, false]);
  });

  test('a token spends within its limits, which neither a kill nor a restored backup forgets', async (t) => {
    const { net, rich } = world;
    const directory = temporaryDirectory(t);
    /** Requests that the audit file had when their transaction was about to leave. */
    const audited: (string | null)[] = [];
    const reached = (point: string): void => {
      if (point !== 'before_submit') return;
      readAudit(auditPath(join(directory, 'wallet')), ({ caller, event, request_id }) => {
        if (event === 'made') audited.push(caller, request_id);
      });
    };
    let hot = await startDaemon({ directory, service: net.url, reached });
    t.after(() => hot.close());
    const { file } = hot;
    await following(hot);
    const { address } = await hot.call('new_address', {});
    const recipients = Array.from({ length: 6 }, () => ({ to: address, amount: '5' }));
    await rich.call('send_many', { recipients, request_id: requestId() });
    const hasCoins = async (): Promise<boolean> => (await hot.call('balance', {})).outputs === 6;
    await world.until('the hot wallet has coins', hasCoins);
    await world.untilRead(hot);

    const { address: to } = await rich.call('new_address', {});
    const { address: stranger } = await rich.call('new_address', {});
    const limits = { budget: 'hot', paymentMax: 2n * COIN, dayMax: 4n * COIN, allowlist: [to] };
    const token = makeToken({ file }, 'hot', ['spend'], limits);
    const shared = makeToken({ file }, 'hot-2', ['spend'], limits);
    const pay = (amount: string, request_id: string, more: object = {}): Promise<RpcBody> =>
      callAs(hot, token, 'send', { to, amount, request_id, ...more });
    for (const dry_run of [true, false]) {
      const other = await pay('1', 'other', { to: stranger, dry_run });
      assert.deepEqual(
        [refusalOf(other), other.error?.data['address']],
        ['not_allowlisted', stranger],
      );
      assert.equal(refusalOf(await pay('2.00000001', 'large', { dry_run })), 'payment_limit');
      const sweep = { to, request_id: 'all', dry_run };
      assert.equal(refusalOf(await callAs(hot, token, 'sweep', sweep)), 'payment_limit');
    }
    const backup = temporaryDirectory(t);
    cpSync(directory, backup, { recursive: true });
    const first = await pay('2', 'first');
    assert.equal(first.error, undefined, JSON.stringify(first));
    assert.equal((await pay('2', 'first')).result?.['duplicate'], true);
    assert.deepEqual(audited, ['hot', 'first'], 'audited before it left, and once');

    /** What a kill leaves behind: the files of a daemon that was not closed. */
    const killed = temporaryDirectory(t);
    cpSync(directory, killed, { recursive: true });
    await hot.close();
    const again = async (place: string): Promise<void> => {
      hot = await startDaemon({ directory: place, service: net.url, isNew: false });
      await until(async () => {
        const { recovering, scan } = await hot.call('status', {});
        return !recovering && scan.phase === 'following';
      }, 'the chain is read');
      await world.untilRead(hot);
    };
    const expectSpent = async (): Promise<void> => {
      const refused = await pay('2', 'second', { dry_run: true });
      assert.equal(refusalOf(refused), 'day_limit');
      const { day_max, limit, spent } = refused.error?.data ?? {};
      const fee = Number(first.result?.['fee']);
      assert.deepEqual([limit, day_max, Number(spent)], ['day_max', '4.00000000', 2 + fee]);
      const repeated = await pay('2', 'first');
      // A restored daemon does not have the bytes, and cannot say more than that the payment was made.
      assert.equal((repeated.result ?? repeated.error?.data)?.['duplicate'], true);
    };
    await again(killed);
    await expectSpent();
    const { body } = await hot.raw(
      { jsonrpc: '2.0', id: 1, method: 'send', params: { to, amount: '2', request_id: 'third' } },
      { authorization: `Bearer ${shared}` },
    );
    assert.equal(refusalOf(body), 'day_limit', 'tokens with one budget share it');
    await hot.close();

    cpSync(join(killed, 'wallet.journal'), join(backup, 'wallet.journal'));
    cpSync(tokensPath(file), tokensPath(join(backup, 'wallet')), { recursive: true });
    await again(backup);
    await expectSpent();
    assert.equal(refusalOf(await pay('1.9', 'second')), undefined);
    assert.equal(refusalOf(await pay('0.1', 'third')), 'day_limit');
    const isFinal = async (): Promise<boolean> =>
      (await hot.call('request', { request_id: 'second' })).outcome === 'finalized';
    await world.until('the second payment is final', isFinal);
    const found = new Map<string, unknown>();
    const path = auditPath(join(backup, 'wallet'));
    await until(() => {
      const { fault } = readAudit(path, (line) => {
        const { amount, caller, recipients } = line;
        found.set(`${line.request_id} ${line.event}`, { amount, caller, recipients });
      });
      assert.equal(fault, null);
      return found.has('second finalized');
    }, 'the outcome is audited');
    const amount = '1.90000000';
    const paid = { amount, caller: 'hot', recipients: [{ to, amount }] };
    assert.deepEqual([found.get('second made'), found.get('second finalized')], [paid, paid]);
  });
}
