/**
 * What is told of the past, of owners and of stake, and by which events.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MethodParams, MethodResult } from 'svc-api/rpc';
import { burnAddress, createMultisigDescriptor, multisigAddress, WalletRoot } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { LIST_DOMAIN } from '../../src/keys/address-list.ts';
import { refused } from '../testing/daemon.ts';
import { requestId, untilOn, type World } from './world.ts';

export function testReading(world: World): void {
  const { until } = world;

  test('[WALLET-04] incoming, received, outputs, history and transaction', async () => {
    const { rich, shop } = world;
    const { address } = await shop.call('new_address', {});
    const paying = { to: address, amount: '0.02', request_id: requestId() };
    const { transaction } = await rich.call('send', paying);
    const seen = ({ transaction: id }: { readonly transaction: string }) => id === transaction;
    await untilOn('seen', async () => (await shop.call('incoming', {})).payments.some(seen));
    assert.equal((await shop.call('transaction', { transaction })).state, 'waiting');
    await until('final', async () => {
      return (await rich.call('transaction', { transaction })).outcome === 'finalized';
    });
    assert.equal((await shop.call('transaction', { transaction })).state, 'final');
    await untilOn('decided', async () => !(await shop.call('incoming', {})).payments.some(seen));
    assert.ok((await shop.call('received', { since_height: 0 })).payments.some(seen));
    assert.ok((await shop.call('outputs', { address })).outputs.some(seen));
    const directions = await Promise.all(
      [rich, shop].map(async (daemon) => {
        return (await daemon.call('history', { limit: 1000 })).entries.find(seen)?.direction;
      }),
    );
    assert.deepEqual(directions, ['sent', 'received']);
    const list = await rich.call('outputs', { limit: 3 });
    assert.equal(list.outputs.length, 3);
    const next = await rich.call('outputs', { limit: 3, cursor: list.next_cursor as string });
    assert.notDeepEqual(next.outputs[0], list.outputs[0]);
    const all: unknown[] = [];
    let cursor: string | undefined;
    do {
      const given = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const page = await rich.call('history', given);
      assert.ok(page.entries.length <= 2);
      all.push(...page.entries);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    const whole = await rich.call('history', { limit: 1000 });
    assert.deepEqual(whole.entries, all);
    const [newest] = whole.entries;
    const older = await rich.call('history', { before_height: newest?.height ?? 0, limit: 1000 });
    assert.deepEqual(
      older.entries,
      whole.entries.filter(({ height }) => height !== newest?.height),
    );
    const open = await rich.call('pending', { cursor: '0', limit: 1 });
    assert.ok(open.transactions.length <= 1);
    await refused(
      -32000,
      'unknown_transaction',
      rich.call('transaction', { transaction: 'ff'.repeat(48) }),
    );
  });

  test('payments that came in are read page by page with a cursor, each once', async () => {
    const { shop } = world;
    const whole = await shop.call('received', { since_height: 0 });
    const seen: unknown[] = [];
    for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
      const asked: MethodParams<'received'> = { since_height: 0, limit: 1, cursor };
      const page: MethodResult<'received'> = await shop.call('received', asked);
      assert.ok(page.payments.length <= 1);
      seen.push(...page.payments.map(keyOf));
      cursor = page.next_cursor;
    }
    assert.deepEqual(seen.slice(0, whole.payments.length), whole.payments.map(keyOf));
  });

  test('the statement of a period leads from one balance to another, page by page', async () => {
    const { rich, shop } = world;
    for (const daemon of [rich, shop]) {
      const to_height = (await daemon.call('status', {})).indexed_height;
      const whole = await daemon.call('statement', { from_height: 0, to_height });
      assert.deepEqual([whole.opening, whole.more], ['0.00000000', false]);
      const entries: unknown[] = [];
      let page = await daemon.call('statement', { from_height: 0, to_height, limit: 2 });
      assert.equal(page.more, true);
      for (;;) {
        entries.push(...page.entries);
        assert.equal(page.entries.at(-1)?.balance ?? page.opening, page.closing);
        if (!page.more) break;
        const { closing } = page;
        const from_height = page.to_height + 1;
        page = await daemon.call('statement', { from_height, to_height, limit: 2 });
        assert.equal(page.opening, closing);
      }
      assert.deepEqual([entries, page.closing], [whole.entries, whole.closing]);
      const { balance, indexed_height } = await daemon.call('balance', {});
      if (indexed_height === to_height) assert.equal(whole.closing, balance);
    }
    const { entries } = await rich.call('statement', { from_height: 0 });
    const timed = entries.find(({ finalized_at_millis }) => finalized_at_millis !== null);
    const since = timed?.finalized_at_millis ?? assert.fail('it followed no cut');
    const earlier = await rich.call('statement', { from_height: 0, to_millis: since });
    const later = await rich.call('statement', { from_millis: since });
    assert.deepEqual([earlier.to_height + 1, later.from_height], [timed?.height, timed?.height]);
    assert.equal(later.opening, earlier.closing);
    const paid = entries.find(({ kind }) => kind === 'payment');
    assert.ok(paid?.fee !== null && paid?.request_id !== null && paid?.change.startsWith('-'));
    const beyond = rich.call('statement', { from_height: 1_000_000_000 });
    await refused(-32602, 'invalid_params', beyond);
  });

  test('[WALLET-07] [WALLET-14] [WALLET-15] an address is proven to be owned', async () => {
    const { rich, shop } = world;
    const { address } = await shop.call('new_address', {});
    const request = await rich.call('proof_request', { address, domain: 'shop.example' });
    assert.equal(request.address, address);
    const proof = await shop.call('prove_address', { request });
    assert.deepEqual(await rich.call('verify_address_proof', { proof, request }), {
      verified: true,
      address,
      domain: 'shop.example',
    });
    const other = await rich.call('proof_request', { address, domain: 'other.example' });
    const wrong = await rich.call('verify_address_proof', { proof, request: other });
    assert.deepEqual([wrong.verified, wrong.reason?.code], [false, 'wrong_request']);
    await refused(-32000, 'unknown_address', rich.call('prove_address', { request }));
    const late = { ...request, expires_at_millis: '1' };
    const foreign = { ...request, chain_id: 'ab'.repeat(48) };
    const list = { ...request, domain: LIST_DOMAIN };
    for (const bad of [late, foreign, list]) {
      await refused(-32000, 'proof_refused', shop.call('prove_address', { request: bad }));
    }
    const soon = await rich.call('proof_request', { address, expires_in_seconds: 5 });
    assert.ok(Number(soon.expires_at_millis) <= Date.now() + 5_000);
    await refused(
      -32602,
      'invalid_address',
      rich.call('proof_request', { address: burnAddress('development') }),
    );
    using root = WalletRoot.fromMnemonic(world.net.words, '', 'development');
    const members = [0, 1, 2].map((index) => toHex(root.derivePublicKey(0, 0, index)));
    const descriptor = createMultisigDescriptor('2', JSON.stringify(members));
    const multisig = multisigAddress(descriptor, 'development');
    await refused(-32602, 'invalid_address', rich.call('proof_request', { address: multisig }));
    const shared = await rich.call('verify_address_proof', {
      proof,
      request: { ...request, address: multisig },
    });
    assert.deepEqual([shared.verified, shared.reason?.code], [false, 'not_provable']);
  });

  test('[WALLET-06] validators, positions, stake and unstake', async () => {
    const { rich, shop } = world;
    const { validators } = await rich.call('validators', { limit: 1 });
    assert.equal(validators.length, 1);
    const validator = validators[0]?.validator as string;
    const least = { validator, amount: '99.99999999', request_id: requestId() };
    await refused(-32602, 'invalid_amount', rich.call('stake', least));
    const staked = await rich.call('stake', { validator, amount: '500', request_id: requestId() });
    assert.deepEqual([staked.kind, staked.amount], ['stake', '500.00000000']);
    await until('staked', async () =>
      (await rich.call('positions', {})).positions.some(({ kind }) => kind === 'delegation'),
    );
    const position = (await rich.call('positions', {})).positions.find(
      ({ kind }) => kind === 'delegation',
    );
    assert.equal(position?.principal, '500.00000000');
    const id = position?.position;
    await refused(
      -32000,
      'nothing_to_do',
      rich.call('withdraw', { position: id, request_id: requestId() }),
    );
    const much = { position: id, amount: '400.00000001', request_id: requestId() };
    await refused(-32602, 'invalid_amount', rich.call('unstake', much));
    const unstaked = await rich.call('unstake', {
      position: id,
      amount: '100',
      request_id: requestId(),
    });
    assert.equal(unstaked.amount, '100.00000000');
    const more = { position: id, fee_per_mass: '12', request_id: requestId(), dry_run: true };
    assert.equal((await rich.call('unstake', more)).dry_run, true);
    await until('unbonding', async () => {
      const found = (await rich.call('positions', {})).positions.find(
        (each) => each.position === id,
      );
      return found?.unbonding.length === 1 && found.bonded === '400.00000000';
    });
    await refused(
      -32000,
      'unknown_position',
      shop.call('unstake', { position: id, request_id: requestId() }),
    );
  });

  test('[WALLET-08] [WALLET-16] [WEVENT-01] subscriptions begin, replay and end', async () => {
    const { rich } = world;
    await refused(-32000, 'no_socket', rich.call('subscribe', { events: ['settled'] }));
    const { address: to } = await world.shop.call('new_address', {});
    for (let at = 0; at < 2; at++)
      await rich.call('send', { to, amount: '0.01', request_id: requestId() });
    await until('settled', async () => {
      return (await rich.call('pending', {})).transactions.length === 0;
    });
    const socket = await rich.socket();
    const made = await socket.call('subscribe', {
      events: ['settled', 'finalized'],
      after_sequence: 0,
    });
    assert.deepEqual(made.result?.['events'], ['settled', 'finalized']);
    await until('replayed', () => socket.of('settled').length > 1);
    const sequences = socket.notifications.map(({ params }) => params['sequence'] as number);
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    );
    const ended = await socket.call('unsubscribe', { subscription: made.result?.['subscription'] });
    assert.deepEqual(ended.result, { subscription: made.result?.['subscription'] });
    const again = await socket.call('unsubscribe', { subscription: made.result?.['subscription'] });
    assert.equal(again.error?.code, -32602);
    const far = await socket.call('subscribe', { events: ['settled'], after_sequence: 1_000_000 });
    assert.equal(far.error, undefined);
    await until('lost', () => socket.of('resync_required').length === 1);
    assert.equal(
      (await socket.call('balance', {})).result?.['outputs'],
      (await rich.call('balance', {})).outputs,
    );
    socket.close();
  });

  test('[WALLET-10] [WEVENT-07] received tells everything after a height: after a restart, a reconnect and resync_required', async () => {
    const { rich } = world;
    const { address } = await world.shop.call('new_address', {});
    const pay = async (): Promise<string> => {
      const params = { to: address, amount: '0.01', request_id: requestId() };
      const { transaction } = await rich.call('send', params);
      const state = async () => (await rich.call('transaction', { transaction })).state;
      await until('final', async () => (await state()) === 'final');
      return transaction;
    };
    let stored = (await world.shop.call('received', { since_height: 0 })).indexed_height;
    const caughtUp = async (): Promise<void> => {
      const { indexed_height } = await rich.call('status', {});
      await untilOn('read', async () => {
        return (await world.shop.call('status', {})).indexed_height >= indexed_height;
      });
    };
    const missed = async (): Promise<string[]> => {
      await caughtUp();
      const { payments, ...answer } = await world.shop.call('received', { since_height: stored });
      stored = answer.indexed_height;
      return payments.map(({ transaction }) => transaction);
    };
    const first: string[] = [];
    await world.restartShop(async () => void first.push(await pay(), await pay()));
    assert.deepEqual(await missed(), first);

    const cut = await world.shop.socket();
    await cut.call('subscribe', { events: ['finalized'] });
    cut.close();
    const second = await pay();
    // The event of this payment is told before anybody listens again.
    await caughtUp();
    const socket = await world.shop.socket();
    await socket.call('subscribe', { events: ['finalized'] });
    assert.deepEqual([await missed(), socket.notifications], [[second], []]);

    const third = await pay();
    await socket.call('subscribe', { events: ['finalized'], after_sequence: 1_000_000 });
    await untilOn('told', () => socket.of('resync_required').length === 1);
    assert.deepEqual([await missed(), await missed()], [[third], []]);
    socket.close();
    for (const since_height of ['1', -1, null]) {
      const call = world.shop.call('received', { since_height } as never);
      assert.equal((await refused(-32602, 'invalid_params', call)).data['path'], 'since_height');
    }
    const page = await world.shop.call('received', { since_height: 0, limit: 1 });
    assert.deepEqual([page.more, page.payments.length >= 1], [true, true]);
  });
}

function keyOf({ output, transaction }: { output: number; transaction: string }): string {
  return `${transaction}:${output}`;
}
