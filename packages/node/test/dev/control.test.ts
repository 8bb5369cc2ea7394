/**
 * The control routes of a development network, each by what it does to the network. The tests follow one another
 * on the same chain.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { TransactionStatus } from 'svc-api';
import { TestClient } from '../../../serve/test/sockets/testing/test-client.ts';
import { Caller } from './kit.ts';

interface Control {
  readonly starts: number;
  readonly validators: readonly string[];
  readonly actions: readonly { readonly path: string; readonly fields: readonly string[] }[];
}

interface Refused {
  readonly error: { readonly code: string; readonly message: string; readonly path?: string };
}

const COIN = 100_000_000n;
const UNKNOWN_ID = 'ab'.repeat(48);
/** Several times as long as from one cut to the next. */
const STILL_MILLIS = 400;
/** A page of another origin that the network was told to admit. */
const PAGE = 'http://localhost:5173';
const FOREIGN = 'https://evil.example';
let caller: Caller;

async function control(): Promise<Control> {
  return (await caller.get<Control>('/v1/dev')).body;
}

async function act<T = { done: boolean }>(name: string, body: object = {}): Promise<T> {
  const { status, body: answer } = await caller.post<T>(`/v1/dev/${name}`, body);
  assert.equal(status, 200, JSON.stringify(answer));
  return answer;
}

async function cutIdAt(height: number): Promise<string | undefined> {
  const path = `/v1/cuts?before=${height + 1}&limit=1`;
  const { body } = await caller.get<{ cuts: { cut_id: string }[] }>(path);
  return body.cuts[0]?.cut_id;
}

/** The height at which nothing was decided for a while: a cut under way when the network was stopped still comes. */
async function standstill(): Promise<number> {
  for (;;) {
    const stood = caller.height;
    await new Promise((resolve) => setTimeout(resolve, STILL_MILLIS));
    if (caller.height === stood) return stood;
  }
}

suite('the control routes of a development network', () => {
  before(async () => {
    caller = await Caller.start({ browserOrigins: [PAGE] });
  });
  after(() => caller.close());

  test('GET /v1/dev lists what can be done, with its fields', async () => {
    const { validators, actions, starts } = await control();
    assert.equal(validators.length, 4);
    assert.equal(starts, 1);
    const fields = Object.fromEntries(actions.map(({ path, fields }) => [path, fields]));
    assert.deepEqual(fields, {
      '/v1/dev/mine': ['cuts'],
      '/v1/dev/advance': ['epochs'],
      '/v1/dev/advance_time': ['millis'],
      '/v1/dev/snapshot': [],
      '/v1/dev/revert': ['snapshot'],
      '/v1/dev/drop_transaction': ['transaction_id'],
      '/v1/dev/pause_finality': ['on'],
      '/v1/dev/lag_events': ['on'],
      '/v1/dev/close_sockets': [],
      '/v1/dev/equivocate': ['validator_id'],
      '/v1/dev/miss_cuts': ['validator_id', 'cuts'],
    });
  });

  test('[AUTH-08] a page that was admitted may act, and no other page', async () => {
    const call = (path: string, method: string, headers: Record<string, string>, body?: string) =>
      fetch(`${caller.base}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    const paths = (await control()).actions.map(({ path }) => path);
    for (const path of paths) {
      const wanted = {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      const asked = await call(path, 'OPTIONS', { origin: PAGE, ...wanted });
      assert.equal(asked.status, 204, path);
      assert.equal(asked.headers.get('access-control-allow-origin'), PAGE);
      assert.equal(asked.headers.get('access-control-allow-methods'), 'POST');
      assert.equal((await call(path, 'OPTIONS', { origin: FOREIGN, ...wanted })).status, 403, path);
    }
    const json = { 'content-type': 'application/json' };
    const pausing = JSON.stringify({ api_version: 1, on: true });
    const pause = '/v1/dev/pause_finality';
    const refused = await call(pause, 'POST', { ...json, origin: FOREIGN }, pausing);
    assert.equal(refused.status, 403);
    assert.equal(((await refused.json()) as Refused).error.code, 'origin_not_allowed');
    assert.equal(refused.headers.get('access-control-allow-origin'), null);
    assert.equal(caller.network.node.presence.isPaused, false);
    const mining = JSON.stringify({ api_version: 1, cuts: 1 });
    const mined = await call('/v1/dev/mine', 'POST', { ...json, origin: PAGE }, mining);
    assert.equal(mined.status, 200);
    assert.equal(mined.headers.get('access-control-allow-origin'), PAGE);
    assert.ok(((await mined.json()) as { finalized_height: number }).finalized_height > 0);
    const listed = await call('/v1/dev', 'GET', { origin: PAGE });
    assert.equal(listed.headers.get('access-control-allow-origin'), PAGE);
    assert.equal((await call('/v1/dev', 'GET', { origin: FOREIGN })).status, 403);
    await listed.arrayBuffer();
  });

  test('what an action does not expect is refused, with the place of it', async () => {
    const { actions } = await control();
    const table: [string, object, string][] = [
      ['mine', {}, ''],
      ['mine', { cuts: 0 }, 'cuts'],
      ['mine', { cuts: 10_001 }, 'cuts'],
      ['mine', { cuts: '1' }, 'cuts'],
      ['mine', { cuts: 1.5 }, ''],
      ['mine', { cuts: null }, 'cuts'],
      ['advance', { epochs: 0 }, 'epochs'],
      ['advance', { epochs: 65 }, 'epochs'],
      ['advance_time', { millis: 0 }, 'millis'],
      ['advance_time', { millis: 315_360_000_001 }, 'millis'],
      ['revert', { snapshot: 1 }, 'snapshot'],
      ['revert', { snapshot: 'a'.repeat(65) }, 'snapshot'],
      ['drop_transaction', { transaction_id: 'AB'.repeat(48) }, 'transaction_id'],
      ['drop_transaction', { transaction_id: 'ab' }, 'transaction_id'],
      ['pause_finality', { on: 'true' }, 'on'],
      ['lag_events', { on: 1 }, 'on'],
      ['equivocate', { validator_id: '' }, 'validator_id'],
      ['miss_cuts', { validator_id: UNKNOWN_ID, cuts: -1 }, 'cuts'],
      ['miss_cuts', { validator_id: UNKNOWN_ID }, ''],
      ...actions.map(({ path }): [string, object, string] => [
        path.replace('/v1/dev/', ''),
        { unexpected: true },
        '',
      ]),
      ...actions.map(({ path }): [string, object, string] => [
        path.replace('/v1/dev/', ''),
        { api_version: 2 },
        '',
      ]),
    ];
    for (const [name, body, path] of table) {
      const answer = await caller.post<Refused>(`/v1/dev/${name}`, body);
      const found = `${name} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`;
      assert.equal(answer.status, 400, found);
      assert.ok((answer.body.error.path ?? '').includes(path), found);
    }
    const unknown = [
      ['equivocate', { validator_id: UNKNOWN_ID }],
      ['miss_cuts', { validator_id: UNKNOWN_ID, cuts: 1 }],
      ['revert', { snapshot: 'snapshot-7' }],
      ['revert', { snapshot: '../node' }],
    ] as const;
    for (const [name, body] of unknown) {
      const answer = await caller.post<Refused>(`/v1/dev/${name}`, body);
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'bad_request'], name);
    }
    assert.equal((await caller.post('/v1/dev/nothing', {})).status, 404);
  });

  test('mine makes cuts now', async () => {
    const before = caller.height;
    const { finalized_height } = await act<{ finalized_height: number }>('mine', { cuts: 5 });
    assert.ok(finalized_height >= before + 5);
    assert.ok(caller.height >= finalized_height);
  });

  test('drop_transaction makes the mempool forget what waits there', async () => {
    const id = await caller.pay({ from: 2, to: 1, amount: COIN, validFrom: caller.height + 20 });
    assert.deepEqual(await act('drop_transaction', { transaction_id: id }), {
      api_version: 1,
      dropped: true,
    });
    const { body } = await caller.get<TransactionStatus>(`/v1/transactions/${id}/status`);
    assert.equal(body.failure, 'dropped');
    const again = await act<{ dropped: boolean }>('drop_transaction', { transaction_id: id });
    assert.equal(again.dropped, false);
  });

  test('pause_finality stops cuts, and nobody waits for them in vain', async () => {
    for (let times = 0; times < 5; times++) {
      await act('pause_finality', { on: true });
      await new Promise((resolve) => setTimeout(resolve, 15 * times));
      await act('pause_finality', { on: false });
      await act('mine', { cuts: 1 });
    }
    await act('pause_finality', { on: true });
    const stood = await standstill();
    const refused = await caller.post<Refused>('/v1/dev/mine', { cuts: 1 });
    assert.equal(refused.status, 400);
    assert.match(refused.body.error.message, /paused/);
    await act('pause_finality', { on: false });
    await act('mine', { cuts: 2 });
    assert.ok(caller.height >= stood + 2);
  });

  test('miss_cuts: without a quorum the network waits for who is away, and goes on with it', async () => {
    const { validators } = await control();
    for (const validator_id of validators.slice(0, 2))
      await act('miss_cuts', { validator_id, cuts: 1_000 });
    const stood = await standstill();
    const mined = act('mine', { cuts: 3 });
    await new Promise((resolve) => setTimeout(resolve, STILL_MILLIS));
    assert.equal(caller.height, stood);
    for (const validator_id of validators) await act('miss_cuts', { validator_id, cuts: 0 });
    await mined;
    assert.ok(caller.height >= stood + 3);
  });

  test('lag_events makes sockets lose events, and say so', async () => {
    const client = await TestClient.open(caller.base, 'api');
    const subscription = await client.subscribe('cuts');
    await act('lag_events', { on: true });
    await act('mine', { cuts: 3 });
    await act('lag_events', { on: false });
    let lost: unknown;
    while (lost === undefined) {
      const { type, data } = await client.next();
      if (type === 'resync_required') lost = data;
    }
    assert.deepEqual(lost, { subscription, reason: 'stream_lagged' });
    await act('mine', { cuts: 1 });
    const { type } = await client.event(subscription);
    assert.equal(type, 'cut_finalized');
    client.webSocket.close();
  });

  test('close_sockets closes every socket', async () => {
    const clients = [
      await TestClient.open(caller.base, 'api'),
      await TestClient.open(caller.base, 'events'),
    ];
    await act('close_sockets');
    for (const { closed } of clients) assert.notEqual((await closed).code, 1006);
    const next = await TestClient.open(caller.base, 'events');
    await next.expect('checkpoint');
    next.webSocket.close();
  });

  test('revert brings the state of a snapshot back', async () => {
    const taken = await act<{ snapshot: string; starts: number }>('snapshot');
    await caller.backAt(taken.starts);
    const [payer, payee] = [await caller.balanceOf(3), await caller.balanceOf(4)];
    const id = await caller.pay({ from: 3, to: 4, amount: 7n * COIN });
    const { lifecycle, finalized_cut } = await caller.minedStatus(id);
    assert.equal(lifecycle, 'finalized');
    assert.equal(await caller.balanceOf(4), payee + 7n * COIN);

    const reverted = await act<{ starts: number }>('revert', { snapshot: taken.snapshot });
    await caller.backAt(reverted.starts);
    assert.equal((await caller.get(`/v1/transactions/${id}/status`)).status, 404);
    assert.deepEqual([await caller.balanceOf(3), await caller.balanceOf(4)], [payer, payee]);

    const again = await caller.pay({ from: 3, to: 4, amount: 2n * COIN });
    assert.equal((await caller.minedStatus(again)).lifecycle, 'finalized');
    assert.equal(await caller.balanceOf(4), payee + 2n * COIN);
    const { height = 0, cut_id } = finalized_cut ?? {};
    if (caller.height < height) await act('mine', { cuts: height - caller.height });
    assert.notEqual(await cutIdAt(height), cut_id, 'the chain goes another way');
  });
});
