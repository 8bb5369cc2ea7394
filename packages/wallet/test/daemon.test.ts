import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { JSONRPCClient, type JSONRPCResponse } from 'json-rpc-2.0';
import { EVENTS, type EventName, METHOD_LIST } from 'svc-api/rpc';
import { burnAddress, init, parseAmount } from 'svc-wasm';
import { Compile } from 'typebox/compile';
import { type Notification, RefusedCall, startDaemon, type TestDaemon } from './support/daemon.ts';
import { startTestNetwork, type TestNetwork } from './support/network.ts';
import { until as untilOn } from './support/open-wallet.ts';
import { temporaryDirectory } from './support/temporary.ts';

let net: TestNetwork;
let rich: TestDaemon;
let shop: TestDaemon;
const ended: (() => Promise<void>)[] = [];

before(async () => {
  await init();
  net = await startTestNetwork();
  await net.network.mine(2);
  const context = { after: (end: () => void) => void ended.push(async () => end()) } as never;
  const directory = () => temporaryDirectory(context);
  rich = await startDaemon({ directory: directory(), service: net.url, words: net.words });
  shop = await startDaemon({ directory: directory(), service: net.url, confirmations: 2 });
  for (const daemon of [rich, shop]) await following(daemon);
});

after(async () => {
  await Promise.all([rich.close(), shop.close()]);
  await net.close();
  for (const end of ended) await end();
});

const until = (what: string, holds: () => boolean | Promise<boolean>): Promise<void> =>
  untilOn(what, holds, net);

/** Makes cuts until something is done. */
async function whileCutting<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  await until('done', () => isDone).catch(() => {});
  return await done;
}

/** No cut is made meanwhile: the daemon would be behind again. */
async function following(daemon: TestDaemon): Promise<void> {
  const phase = async (): Promise<string> => (await daemon.call('status', {})).scan.phase;
  await untilOn('following', async () => (await phase()) === 'following');
}

async function refused(code: number, kind: string, call: Promise<unknown>): Promise<RefusedCall> {
  let found: unknown;
  await assert.rejects(call, (error) => {
    found = error;
    assert.ok(error instanceof RefusedCall, String(error));
    assert.deepEqual([error.code, error.data['kind']], [code, kind]);
    return true;
  });
  return found as RefusedCall;
}

function paymentsOf(notification: Notification | undefined): Record<string, unknown>[] {
  return (notification?.params['payments'] ?? []) as Record<string, unknown>[];
}

let names = 0;
const requestId = (): string => `request-${++names}`;

test('[WALLET-02] status, balance, pending and rescan', async () => {
  const status = await rich.call('status', {});
  assert.deepEqual(
    [status.node_synced, status.node_behind_by, status.network],
    [true, 0, 'development'],
  );
  assert.ok(status.indexed_height > 0 && status.outputs >= 10);
  const balance = await rich.call('balance', {});
  assert.equal(balance.balance, status.balance);
  assert.match(balance.available, /^[0-9]+\.[0-9]{8}$/);
  assert.deepEqual(await shop.call('pending', {}), { transactions: [] });
  const socket = await shop.socket();
  await socket.call('subscribe', { events: ['resync_required'] });
  assert.deepEqual(await shop.call('rescan', { gap: 30 }), { started: true, gap: 30 });
  await until('rescanned', () => socket.of('resync_required').length === 1);
  await following(shop);
  socket.close();
});

test('[WALLET-03] [WALLET-09] [WALLET-13] new_address, receive, addresses, set_label, validate_address', async () => {
  const alice = await shop.call('new_address', { label: 'alice' });
  const bob = await shop.call('new_address', { label: 'bob' });
  assert.notEqual(alice.address, bob.address);
  assert.equal(bob.index, alice.index + 1);
  const request = await shop.call('receive', { amount: '1.5', message: 'tea & cake' });
  assert.match(request.uri, /\?amount=1\.5&message=tea%20%26%20cake$/);
  assert.equal((await shop.call('receive', {})).address, request.address);
  assert.deepEqual(await shop.call('set_label', { address: bob.address, label: 'robert' }), {
    address: bob.address,
    label: 'robert',
  });
  const first = await shop.call('addresses', { limit: 1 });
  assert.equal(first.addresses[0]?.address, alice.address);
  const rest = await shop.call('addresses', { cursor: first.next_cursor as string });
  assert.deepEqual(
    rest.addresses.map(({ label }) => label),
    ['robert', null],
  );
  assert.deepEqual((await shop.call('addresses', { label: 'robert' })).addresses.length, 1);
  const checked = await rich.call('validate_address', { address: alice.address.toUpperCase() });
  assert.deepEqual([checked.valid, checked.own, checked.address], [true, false, alice.address]);
  assert.deepEqual([checked.words?.split(' ').length, checked.words], [6, alice.words]);
  assert.equal((await shop.call('validate_address', { address: alice.address })).own, true);
  const broken = await shop.call('validate_address', { address: `${alice.address.slice(0, -1)}!` });
  assert.deepEqual([broken.valid, broken.reason?.code], [false, 'bad_address']);
});

test('[SEND-01] [SEND-02] [SEND-03] [SEND-04] [SEND-05] [SEND-06] [SEND-07] [SEND-08] [WALLET-01] [WEVENT-02] [WEVENT-04] [WEVENT-05] [WEVENT-06] [WEVENT-08] a deposit is seen, final, confirmed and settled', async () => {
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
  const { address } = await shop.call('new_address', {});
  const id = requestId();
  const params = { to: address, amount: '0.5', request_id: id };
  const [first, second] = await Promise.all([rich.call('send', params), rich.call('send', params)]);
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
  const fourth = await rich.call('send', params);
  assert.deepEqual([fourth.duplicate, fourth.outcome], [true, 'finalized']);
  const found = (await shop.call('addresses', { limit: 1000 })).addresses.find(
    (each) => each.address === address,
  );
  assert.equal(found?.balance, '0.50000000');
  assert.equal((await rich.call('status', {})).request_id_mismatches, 1);
});

test('[WALLET-05] [WALLET-11] [WALLET-12] send_many, subtract_fee, sweep, burn, compound and compound_first', async () => {
  const to = (await shop.call('new_address', {})).address;
  const many = await rich.call('send_many', {
    recipients: Array.from({ length: 7 }, () => ({ to, amount: '0.3' })),
    request_id: requestId(),
  });
  assert.deepEqual([many.recipients.length, many.amount], [7, '2.10000000']);
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
  await until('compounded', async () => (await shop.call('pending', {})).transactions.length === 0);
  await refused(-32000, 'nothing_to_do', shop.call('compound', { address: to }));
  const swept = await shop.call('sweep', { to: back, request_id: requestId() });
  assert.deepEqual([swept.kind, swept.more], ['sweep', false]);
  await until('swept', async () => (await shop.call('balance', {})).outputs === 0);
  assert.equal((await shop.call('balance', {})).balance, '0.00000000');
  await refused(-32000, 'nothing_to_do', shop.call('sweep', { to: back, request_id: requestId() }));
});

test('[WALLET-04] incoming, outputs, history and transaction', async () => {
  const list = await rich.call('outputs', { limit: 3 });
  assert.equal(list.outputs.length, 3);
  const next = await rich.call('outputs', { limit: 3, cursor: list.next_cursor as string });
  assert.notDeepEqual(next.outputs[0], list.outputs[0]);
  assert.ok(Array.isArray((await rich.call('incoming', {})).payments));
  const all: unknown[] = [];
  let before: number | undefined;
  do {
    const page = await rich.call('history', {
      limit: 2,
      ...(before === undefined ? {} : { before_height: before }),
    });
    all.push(
      ...page.entries.map(
        ({ transaction, output, height }) => `${transaction}:${output}:${height}`,
      ),
    );
    before = page.next_before;
  } while (before !== undefined);
  assert.equal(new Set(all).size, all.length);
  const whole = await rich.call('history', { limit: 1000 });
  assert.equal(whole.entries.length, all.length);
  await refused(
    -32000,
    'unknown_transaction',
    rich.call('transaction', { transaction: 'ff'.repeat(48) }),
  );
});

test('[WALLET-07] [WALLET-14] [WALLET-15] an address is proven to be owned', async () => {
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
  await refused(
    -32602,
    'invalid_address',
    rich.call('proof_request', { address: burnAddress('development') }),
  );
});

test('[WALLET-06] validators, positions, stake and unstake', async () => {
  const { validators } = await rich.call('validators', {});
  assert.equal(validators.length, 1);
  const validator = validators[0]?.validator as string;
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
  const unstaked = await rich.call('unstake', {
    position: id,
    amount: '100',
    request_id: requestId(),
  });
  assert.equal(unstaked.amount, '100.00000000');
  await until('unbonding', async () => {
    const found = (await rich.call('positions', {})).positions.find((each) => each.position === id);
    return found?.unbonding.length === 1 && found.bonded === '400.00000000';
  });
  await refused(
    -32000,
    'unknown_position',
    shop.call('unstake', { position: id, request_id: requestId() }),
  );
});

test('[WALLET-08] [WALLET-16] [WEVENT-01] subscriptions begin, replay and end', async () => {
  await refused(-32000, 'no_socket', rich.call('subscribe', { events: ['settled'] }));
  const socket = await rich.socket();
  const made = await socket.call('subscribe', {
    events: ['settled', 'finalized'],
    after_sequence: 0,
  });
  assert.deepEqual(made.result?.['events'], ['settled', 'finalized']);
  await until('replayed', () => socket.of('settled').length > 3);
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

test('[RPCERR-05] [RPCERR-07] [CONV-09] [LIMIT-08] refusals say what is wrong, where, and whether to repeat', async () => {
  const { address: to } = await shop.call('new_address', {});
  const pay = (more: object) =>
    rich.call('send', { to, amount: '1', request_id: requestId(), ...more });
  const poor = await refused(
    -32000,
    'insufficient_funds',
    shop.call('send', { to, amount: '1', request_id: requestId() }),
  );
  assert.equal(poor.data['retry'], 'never');
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
  await refused(-32000, 'amount_below_fee', pay({ amount: '0.00000001', subtract_fee: true }));
  await refused(-32000, 'insufficient_funds', pay({ amount: '199999999' }));
  await refused(-32602, 'invalid_params', pay({ request_id: 'auto:mine' }));
  await refused(-32602, 'invalid_params', pay({ request_id: 'x'.repeat(129) }));
  const eight = Array.from({ length: 8 }, () => ({ to, amount: '1' }));
  await refused(
    -32602,
    'invalid_params',
    rich.call('send_many', { recipients: eight, request_id: requestId() }),
  );
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
  assert.equal((await refused(-32602, 'invalid_address', nested)).data['path'], 'recipients[1].to');
});

test('a third-party JSON-RPC client works unmodified', async () => {
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
  const document = (await (await fetch(`${rich.url}/openrpc.json`)).json()) as {
    methods: { name: string }[];
  };
  assert.equal(document.methods.length, METHOD_LIST.length);
  const params = { unknown_field: 1 };
  for (const { name } of document.methods) {
    const { body } = await rich.raw({ jsonrpc: '2.0', id: 1, method: name, params });
    assert.deepEqual([body.error?.code, body.error?.data['path']], [-32602, 'unknown_field'], name);
  }
});
