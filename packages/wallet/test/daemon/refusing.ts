/**
 * Calls that are refused, and who may call at all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSONRPCClient, type JSONRPCResponse } from 'json-rpc-2.0';
import { Funds, METHOD_LIST } from 'svc-api/rpc';
import { burnAddress } from 'svc-wasm';
import { Compile } from 'typebox/compile';
import { type RefusedCall, refused } from '../testing/daemon.ts';
import { requestId, untilOn, type World } from './world.ts';

const NONE = '0.00000000';
const FUNDS = Compile(Funds);

/** What a refusal tells of the funds, held against the contract. */
function fundsOf({ data }: RefusedCall): Funds {
  const { funds } = data;
  assert.ok(FUNDS.Check(funds), JSON.stringify(data));
  return funds;
}

export function testRefusing(world: World): void {
  test('[RPCERR-05] [RPCERR-07] [CONV-09] [LIMIT-08] refusals say what is wrong, where, and whether to repeat', async () => {
    const { rich, shop } = world;
    const { address: to } = await shop.call('new_address', {});
    await rich.call('send', { to, amount: '0.01', request_id: requestId() });
    await world.until('nobody waits for anything', async () => {
      const { payments } = await shop.call('incoming', {});
      const open = await Promise.all([rich, shop].map((daemon) => daemon.call('pending', {})));
      return payments.length + open.flatMap(({ transactions }) => transactions).length === 0;
    });
    const pay = (more: object) =>
      rich.call('send', { to, amount: '1', request_id: requestId(), ...more });
    const poor = await refused(
      -32000,
      'insufficient_funds',
      shop.call('send', { to, amount: '1', request_id: requestId() }),
    );
    assert.equal(poor.data['retry'], 'never');
    const funds = fundsOf(poor);
    assert.equal(funds.available, (await shop.call('balance', {})).available);
    assert.deepEqual([funds.incoming, funds.refused, funds.repeat_after], [NONE, NONE, null]);
    for (const amount of [
      '0',
      '0.000000001',
      '-1',
      '1e3',
      ' 1',
      '1,5',
      '01',
      '',
      '200000001',
      '1.',
    ]) {
      const error = await refused(
        -32602,
        amount === '0' || amount === '200000001' ? 'invalid_amount' : 'invalid_params',
        pay({ amount }),
      );
      assert.equal(error.data['path'], 'amount');
    }
    for (const amount of [1, 1.25, null, true, ['1'], {}]) {
      assert.equal(
        (
          await rich.raw({
            jsonrpc: '2.0',
            id: 1,
            method: 'send',
            params: { to, amount, request_id: 'x' },
          })
        ).body.error?.code,
        -32602,
      );
    }
    assert.equal(
      (await refused(-32602, 'invalid_params', pay({ colour: 'red' }))).data['path'],
      'colour',
    );
    assert.equal(
      (await refused(-32602, 'invalid_address', pay({ to: to.slice(0, -1) }))).data['path'],
      'to',
    );
    await refused(-32602, 'invalid_address', pay({ to: to.replace('dsvc', 'svc') }));
    await refused(-32000, 'burn_address', pay({ to: burnAddress('development') }));
    const { outputs } = await rich.call('outputs', { limit: 1_000 });
    const change = outputs.find((output) => output.change)?.address as string;
    const own = await refused(-32000, 'change_address', pay({ to: change }));
    assert.equal(own.data['path'], 'to');
    await refused(-32000, 'amount_below_fee', pay({ amount: '0.00000001', subtract_fee: true }));
    await refused(-32000, 'insufficient_funds', pay({ amount: '199999999' }));
    const cheap = (await pay({ fee_per_mass: '9', dry_run: true })) as { fee_per_mass: string };
    assert.equal(cheap.fee_per_mass, '10', 'the answer tells what a rate below the least came to');
    await refused(-32602, 'invalid_params', pay({ request_id: 'auto:mine' }));
    await refused(-32602, 'invalid_params', pay({ request_id: 'x'.repeat(129) }));
    const missing = await refused(
      -32602,
      'invalid_params',
      rich.call('send', { to, amount: '1' } as never),
    );
    assert.equal(missing.data['path'], 'request_id');
    const nested = rich.call('send_many', {
      recipients: [
        { to, amount: '1' },
        { to: 'x', amount: '1' },
      ],
      request_id: requestId(),
    });
    assert.equal(
      (await refused(-32602, 'invalid_address', nested)).data['path'],
      'recipients[1].to',
    );
  });

  test('a payment that waits for a deposit is told so, and is made under its name once that is final', async () => {
    const { rich, shop } = world;
    const deposit = (await shop.call('new_address', {})).address;
    const { address: to } = await rich.call('new_address', {});
    const payment = { to, amount: '1.5', request_id: requestId() };
    const before = await refused(-32000, 'insufficient_funds', shop.call('send', payment));
    assert.equal(fundsOf(before).repeat_after, null);
    await rich.call('send', { to: deposit, amount: '2', request_id: requestId() });
    const waiting = async (): Promise<boolean> =>
      (await shop.call('incoming', {})).payments.some(({ address }) => address === deposit);
    await untilOn('the deposit is seen', waiting);
    const short = await refused(-32000, 'insufficient_funds', shop.call('send', payment));
    const { repeat_after, ...funds } = fundsOf(short);
    assert.equal(short.data['retry'], 'later');
    assert.deepEqual(repeat_after, { event: 'finalized', height: null });
    assert.equal(funds.incoming, '2.00000000');
    await world.until('the deposit is final', async () => !(await waiting()));
    const paid = await shop.call('send', payment);
    assert.deepEqual([paid.duplicate, paid.amount], [false, '1.50000000']);
    await world.until(
      'paid',
      async () => (await shop.call('pending', {})).transactions.length === 0,
    );
  });

  test('a third-party JSON-RPC client works unmodified', async () => {
    const { rich } = world;
    const client: JSONRPCClient = new JSONRPCClient(async (request) => {
      const { body } = await rich.raw(request);
      client.receive(body as unknown as JSONRPCResponse);
    });
    assert.equal(
      (await client.request('balance', {})).balance,
      (await rich.call('balance', {})).balance,
    );
    await assert.rejects(async () => await client.request('send', { to: 'x' }), { code: -32602 });
    const [one, two] = await client.requestAdvanced([
      { jsonrpc: '2.0', id: 'a', method: 'status', params: {} },
      { jsonrpc: '2.0', id: 'b', method: 'nothing', params: {} },
    ]);
    assert.deepEqual([one?.id, two?.error?.code], ['a', -32601]);
  });

  test('every method of the contract is described and reachable', async () => {
    const { rich } = world;
    const document = (await (await fetch(`${rich.url}/openrpc.json`)).json()) as {
      methods: { name: string }[];
    };
    assert.equal(document.methods.length, METHOD_LIST.length);
    const params = { unknown_field: 1 };
    for (const { name } of document.methods) {
      const { body } = await rich.raw({ jsonrpc: '2.0', id: 1, method: name, params });
      assert.deepEqual(
        [body.error?.code, body.error?.data['path']],
        [-32602, 'unknown_field'],
        name,
      );
    }
  });

  /**
   * One needs a chain that was taken back, `other-history.test.ts`, one a second validator, and the command line turns its
   * pages; the others need ten epochs: `unbonding.ts`.
   */
  const ELSEWHERE = [
    'rescan.accept_history',
    'validators.cursor',
    ...['withdraw.position', 'withdraw.request_id', 'withdraw.fee_per_mass', 'withdraw.dry_run'],
  ];

  test('every method of the specification had a result, with every parameter it takes', () => {
    const missing = METHOD_LIST.filter(({ extension }) => !extension).flatMap(
      ({ name, params }) => {
        const names = Object.keys(params.properties ?? {});
        if (names.length === 0) return world.wasCalled(name) ? [] : [name];
        return names
          .filter((param) => !world.wasCalled(name, param))
          .map((param) => `${name}.${param}`);
      },
    );
    assert.deepEqual(missing, ELSEWHERE);
  });
}
