/**
 * Deposits and withdrawals from end to end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS, type EventName } from 'svc-api/rpc';
import { encodeTransactionBody, parseAmount } from 'svc-wasm';
import { Compile } from 'typebox/compile';
import { refused } from '../testing/daemon.ts';
import { paymentsOf, requestId, SHOP_CONFIRMATIONS, type World } from './world.ts';

export function testPaying(world: World): void {
  const { until, whileCutting } = world;

  test('[SEND-01] [SEND-02] [SEND-03] [SEND-04] [SEND-05] [SEND-06] [SEND-07] [SEND-08] [WALLET-01] [WEVENT-02] [WEVENT-04] [WEVENT-05] [WEVENT-06] [WEVENT-08] a deposit is seen, final, confirmed and settled', async () => {
    const { rich, shop } = world;
    const { address } = await shop.call('new_address', { label: 'carol' });
    const [theirs, ours] = [await shop.socket(), await rich.socket()];
    await theirs.call('subscribe', { events: ['unconfirmed', 'finalized', 'confirmations'] });
    await ours.call('subscribe', { events: ['settled'] });
    const before = await shop.call('balance', {});
    const { indexed_height } = await shop.call('received', { since_height: 0 });
    const id = requestId();
    const sent = await rich.call('send', {
      to: address,
      amount: '1.25',
      request_id: id,
      payload_text: 'invoice <7>',
    });
    const { fee, fee_per_mass, transaction, ...known } = sent;
    assert.deepEqual(known, {
      kind: 'payment',
      to: address,
      amount: '1.25000000',
      submitted: true,
      duplicate: false,
    });
    assert.match(fee, /^0\.[0-9]{8}$/);
    assert.deepEqual([fee_per_mass, transaction.length], ['10', 96]);
    await until('settled', () => ours.of('settled').length === 1);
    await until('confirmations', () => theirs.of('confirmations').length === 1);
    const payment = paymentsOf(theirs.of('finalized')[0])[0];
    assert.equal(payment?.['transaction'], transaction);
    assert.deepEqual(
      [payment?.['output'], payment?.['amount'], payment?.['label']],
      [0, '1.25000000', 'carol'],
    );
    assert.equal(payment?.['payload_text'], 'invoice <7>');
    assert.equal((payment?.['senders'] as string[] | undefined)?.length, 1);
    assert.equal(paymentsOf(theirs.of('unconfirmed')[0]).length, 1);
    const [confirmed] = paymentsOf(theirs.of('confirmations')[0]);
    assert.equal(confirmed?.['transaction'], transaction);
    assert.ok((confirmed?.['confirmations'] as number) >= SHOP_CONFIRMATIONS);
    assert.equal(ours.of('settled')[0]?.params['outcome'], 'finalized');
    assert.equal(ours.of('settled')[0]?.params['request_id'], id);
    for (const { method, params } of [...theirs.notifications, ...ours.notifications]) {
      assert.ok(
        Compile(EVENTS[method as EventName].data).Check(params),
        `${method} ${JSON.stringify(params)}`,
      );
    }
    const caughtUp = await shop.call('received', { since_height: indexed_height });
    assert.deepEqual(
      caughtUp.payments.map((each) => [each.transaction, each.output]),
      [[transaction, 0]],
    );
    assert.deepEqual(
      (await shop.call('received', { since_height: caughtUp.indexed_height })).payments,
      [],
    );
    const balance = await shop.call('balance', {});
    assert.equal(
      BigInt(parseAmount(balance.balance)) - BigInt(parseAmount(before.balance)),
      125_000_000n,
    );
    const seen = await shop.call('transaction', { transaction });
    assert.deepEqual([seen.state, seen.outcome, seen.received.length], ['final', 'finalized', 1]);
    const own = await rich.call('transaction', { transaction });
    assert.deepEqual([own.state, own.request_id, own.kind, own.fee], ['final', id, 'payment', fee]);
    theirs.close();
    ours.close();
  });

  test('[LIVE-10] [RPCERR-08] a repeated request_id pays nothing and gets the first result', async () => {
    const { rich, shop } = world;
    const { address } = await shop.call('new_address', {});
    const id = requestId();
    const params = { to: address, amount: '0.5', request_id: id };
    const [first, second] = await Promise.all([
      rich.call('send', params),
      rich.call('send', params),
    ]);
    const dry = await rich.call('send', { ...params, dry_run: true });
    const { transaction: same, submitted, duplicate, dry_run } = dry;
    assert.deepEqual([same, submitted, duplicate, dry_run], [first.transaction, true, true, true]);
    const third = await rich.call('send', { ...params, amount: '7' });
    assert.deepEqual([first.duplicate, second.duplicate, third.duplicate].sort(), [
      false,
      true,
      true,
    ]);
    assert.deepEqual([second.mismatch, third.mismatch], [undefined, true]);
    assert.equal(new Set([first, second, third].map(({ transaction }) => transaction)).size, 1);
    assert.deepEqual([third.amount, third.fee], [first.amount, first.fee]);
    await until('paid', async () =>
      (await shop.call('addresses', { limit: 1000 })).addresses.some(
        (each) => each.address === address && each.used,
      ),
    );
    const { transaction } = first;
    await until('settled', async () => {
      return (await rich.call('transaction', { transaction })).outcome === 'finalized';
    });
    await refused(-32000, 'unknown_request', rich.call('request', { request_id: 'never-asked' }));
    const looked = await rich.call('request', { request_id: id });
    assert.deepEqual(
      [looked.method, looked.state, looked.outcome, looked.transactions.length],
      ['send', 'made', 'finalized', 1],
    );
    assert.equal(looked.result?.['transaction'], transaction);
    const fourth = await rich.call('send', params);
    assert.deepEqual([fourth.duplicate, fourth.outcome], [true, 'finalized']);
    const found = (await shop.call('addresses', { limit: 1000 })).addresses.find(
      (each) => each.address === address,
    );
    assert.equal(found?.balance, '0.50000000');
    assert.equal((await rich.call('status', {})).request_id_mismatches, 1);
    const socket = await rich.socket();
    await socket.call('subscribe', { events: ['request_id_mismatch'], after_sequence: 0 });
    await until('the mismatch is told', () => socket.notifications.length > 0);
    const { caller, method, request_id } = socket.notifications[0]?.params ?? {};
    assert.deepEqual([caller, method, request_id], ['main', 'send', id]);
    socket.close();
  });

  test('[WALLET-05] [WALLET-11] [WALLET-12] [LIMIT-07] send_many, subtract_fee, sweep, burn, compound and compound_first', async () => {
    const { rich, shop } = world;
    const to = (await shop.call('new_address', {})).address;
    const many = await rich.call('send_many', {
      recipients: Array.from({ length: 7 }, () => ({ to, amount: '0.3' })),
      request_id: requestId(),
    });
    assert.deepEqual([many.recipients.length, many.amount], [7, '2.10000000']);
    const recipients = Array.from({ length: 8 }, () => ({ to, amount: '0.3' }));
    const eight = rich.call('send_many', { recipients, request_id: requestId() });
    assert.equal((await refused(-32602, 'invalid_params', eight)).data['path'], 'recipients');
    const less = await rich.call('send', {
      to,
      amount: '1',
      request_id: requestId(),
      subtract_fee: true,
    });
    assert.equal(BigInt(parseAmount(less.amount)) + BigInt(parseAmount(less.fee)), 100_000_000n);
    const shared = await rich.call('send_many', {
      recipients: [
        { to, amount: '0.2' },
        { to, amount: '0.2' },
      ],
      request_id: requestId(),
      subtract_fee: true,
    });
    assert.equal(BigInt(parseAmount(shared.amount)) + BigInt(parseAmount(shared.fee)), 40_000_000n);
    await until('ten outputs', async () => {
      const found = (await shop.call('outputs', { address: to })).outputs;
      return found.length === 10;
    });
    const burnt = await rich.call('burn', { amount: '0.01', request_id: requestId() });
    assert.deepEqual([burnt.kind, burnt.amount], ['burn', '0.01000000']);

    const balance = BigInt(parseAmount((await shop.call('balance', {})).available));
    const target = (balance * 95n) / 100n;
    const coins = `${target / 100_000_000n}.${String(target % 100_000_000n).padStart(8, '0')}`;
    const back = (await rich.call('new_address', {})).address;
    await refused(
      -32000,
      'too_many_inputs',
      shop.call('send', { to: back, amount: coins, request_id: 'big' }),
    );
    const big = await whileCutting(
      shop.call('send', { to: back, amount: coins, request_id: 'big', compound_first: true }),
    );
    assert.deepEqual([big.amount, big.duplicate], [coins, false]);
    await until(
      'big settled',
      async () => (await shop.call('pending', {})).transactions.length === 0,
    );
    const merged = (await shop.call('history', { limit: 1000 })).entries.filter(
      ({ kind }) => kind === 'compound',
    );
    assert.ok(merged.length >= 1);

    for (let i = 0; i < 2; i++)
      await rich.call('send', { to, amount: '0.4', request_id: requestId() });
    await until(
      'two more',
      async () => (await shop.call('outputs', { address: to })).outputs.length >= 2,
    );
    const compounded = await shop.call('compound', { address: to, request_id: requestId() });
    assert.ok(compounded.outputs >= 2 && compounded.transactions.length === 1);
    await until(
      'compounded',
      async () => (await shop.call('pending', {})).transactions.length === 0,
    );
    await refused(-32000, 'nothing_to_do', shop.call('compound', { address: to }));
    const swept = await shop.call('sweep', { to: back, request_id: requestId() });
    assert.deepEqual([swept.kind, swept.more], ['sweep', false]);
    await until('swept', async () => (await shop.call('balance', {})).outputs === 0);
    assert.equal((await shop.call('balance', {})).balance, '0.00000000');
    await refused(
      -32000,
      'nothing_to_do',
      shop.call('sweep', { to: back, request_id: requestId() }),
    );
  });

  test('[LIMIT-06] a transaction spends eight outputs and no ninth', async () => {
    const { net, rich, shop } = world;
    const to = (await shop.call('new_address', {})).address;
    for (const length of [7, 2]) {
      const recipients = Array.from({ length }, () => ({ to, amount: '0.1' }));
      await rich.call('send_many', { recipients, request_id: requestId() });
    }
    const outputs = async (): Promise<number> => (await shop.call('balance', {})).outputs;
    await until('nine outputs', async () => (await outputs()) === 9);
    const back = (await rich.call('new_address', {})).address;
    const pay = (amount: string) =>
      shop.call('send', { to: back, amount, subtract_fee: true, request_id: requestId() });
    await refused(-32000, 'too_many_inputs', pay('0.80000001'));
    const { amount, fee } = await pay('0.8');
    assert.equal(BigInt(parseAmount(amount)) + BigInt(parseAmount(fee)), 80_000_000n);
    await until('spent', async () => (await shop.call('pending', {})).transactions.length === 0);
    assert.equal(await outputs(), 1);
    const input = (at: number) => ({ transaction_id: 'ab'.repeat(48), output_index: String(at) });
    const body = (inputs: number): string =>
      JSON.stringify({
        valid_from_height: '1',
        valid_until_height: '2',
        inputs: Array.from({ length: inputs }, (_, at) => input(at)),
        outputs: [{ address: back, amount: '1' }],
        payload_hex: '',
      });
    const manifest = await (await fetch(`${net.url}/v1/transactions/manifest`)).text();
    assert.ok(encodeTransactionBody(body(8), manifest).length > 0);
    assert.throws(() => encodeTransactionBody(body(9), manifest), { code: 'too_many_inputs' });
  });

  test('a dry run says what would be done and pays what fee, and does nothing', async () => {
    const { rich, shop } = world;
    const to = (await shop.call('new_address', {})).address;
    const dry = { request_id: requestId(), dry_run: true };
    const fee_per_mass = '12';
    const { validators } = await rich.call('validators', {});
    const validator = validators[0]?.validator as string;
    const from = (await rich.call('outputs', { limit: 1 })).outputs[0]?.address as string;
    const stake = { validator, amount: '100', reward_address: from };
    const previews = [
      await rich.call('send', { to, amount: '1', compound_first: true, fee_per_mass, ...dry }),
      await rich.call('send_many', {
        recipients: [{ to, amount: '1', payload_text: 'x' }],
        compound_first: true,
        fee_per_mass,
        ...dry,
      }),
      await rich.call('burn', { amount: '1', fee_per_mass, ...dry }),
      await rich.call('stake', { ...stake, fee_per_mass, ...dry }),
    ];
    for (const preview of previews) {
      assert.deepEqual(
        [preview.dry_run, preview.submitted, preview.fee_per_mass],
        [true, false, fee_per_mass],
        preview.kind,
      );
    }
    assert.equal((await rich.call('sweep', { to, address: from, ...dry })).dry_run, true);
    assert.equal((await rich.call('compound', { ...dry })).dry_run, true);
    assert.deepEqual((await rich.call('pending', {})).transactions, []);
  });
}
