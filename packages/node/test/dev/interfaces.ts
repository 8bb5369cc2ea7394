/**
 * What a running node tells of itself and of a payment, on every way that it has: routes, the mining listener,
 * the topics of its socket, its metrics. The network has no miner and makes cuts when it is told to.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { RatesDocument, StatusDocument, SyncDocument, TopicName } from 'svc-api';
import { SILENT_LOG } from 'svc-base/pure';
import { type Frame, TestClient } from '../../../serve/test/sockets/testing/test-client.ts';
import { METRICS, type MetricEntry, type MetricName } from '../../src/metrics/catalogue.ts';
import { startMetricsServer } from '../../src/metrics/node-metrics.ts';
import { type Caller, VERSION } from './kit.ts';

const COIN = 100_000_000n;

export function testInterfaces(use: () => Caller): void {
  test('[HTTP-19] [HTTP-22] [HTTP-23] [SYNC-01] [MINE-04] the node tells how it does, to miners too', async () => {
    const caller = use();
    const { height } = caller;
    const { chain } = caller.network.node.composed.core;
    const { host, port } = caller.network.facts.mining;
    const mining = async <T>(path: string) =>
      (await (await fetch(`http://${host}:${port}${path}`)).json()) as T;
    const sync = {
      api_version: 1,
      synced: true,
      finalized_height: height,
      best_peer_height: null,
      behind_by: 0,
      peers: 0,
    };
    assert.deepEqual((await caller.get<SyncDocument>('/v1/node/sync')).body, sync);
    assert.deepEqual(await mining('/v1/node/sync'), sync);
    const { body: status } = await caller.get<StatusDocument>('/v1/node/status');
    assert.deepEqual(
      [status.version, status.network, status.chain_id, status.finalized_height, status.synced],
      [VERSION, 'development', chain.chainId, height, true],
    );
    assert.deepEqual([status.update_required, status.update_announced], [false, false]);
    const { body: rates } = await caller.get<RatesDocument>('/v1/chain/rates');
    assert.deepEqual(await mining('/v1/chain/rates'), rates);
    const { registered } = await workOfAllCuts(caller);
    assert.equal(rates.finalized_height, height);
    assert.ok(rates.registered_blocks > 0 && rates.registered_blocks <= registered);
    assert.ok(Number(rates.blocks_per_cut) > 0);
  });

  test('[NSOCK-14] [NSOCK-15] [NSOCK-16] [NSOCK-17] [NSOCK-18] [NSOCK-19] [NSOCK-20] [NSOCK-21] every topic tells of a payment and of the node', async (t) => {
    const caller = use();
    const wire = await caller.sign({ from: 0, to: 1, amount: COIN });
    const id = caller.idOf(wire);
    const addresses = [caller.accountText(1)];
    const topics = {
      cuts: await subscribed(t, caller, 'cuts'),
      blocks: await subscribed(t, caller, 'blocks'),
      pool: await subscribed(t, caller, 'mempool_transactions'),
      addresses: await subscribed(t, caller, 'addresses', { addresses }),
    };
    assert.equal((await caller.submit(wire)).status, 200);
    assert.equal((await topics.pool('mempool_transaction'))['transaction_id'], id);
    assert.equal((await topics.addresses('mempool_tx_seen'))['transaction_id'], id);
    for (const [topic, path] of [
      ['mempool', '/v1/mempool'],
      ['rates', '/v1/chain/rates'],
      ['sync', '/v1/node/sync'],
    ] as const) {
      const next = await subscribed(t, caller, topic);
      assert.deepEqual(await next(topic), (await caller.get(path)).body);
    }
    const status = await subscribed(t, caller, 'transaction', { transaction_id: id });
    assert.deepEqual(await status('transaction_status'), await caller.statusOf(id));

    const block_id = await caller.mineBlock([wire]);
    const accepted = await topics.blocks('block_accepted');
    assert.deepEqual(
      [accepted['block_id'], accepted['transactions'], accepted['miner_tag']],
      [block_id, [id], 'test'],
    );
    assert.equal(accepted['reward_address'], caller.accountText(9));
    assert.deepEqual(await status('transaction_status'), await caller.statusOf(id));
    const final = await caller.minedStatus(id);
    for (let lifecycle: unknown = ''; lifecycle !== 'finalized'; )
      ({ lifecycle } = await status('transaction_status'));
    let cut = await topics.cuts('cut_finalized');
    while (cut['executed_blocks'] === 0) cut = await topics.cuts('cut_finalized');
    assert.deepEqual([cut['cut'], cut['executed_blocks']], [final.finalized_cut, 1]);
    const gone = await topics.pool('mempool_transaction_removed');
    assert.deepEqual([gone['transaction_id'], gone['reason']], [id, 'finalized']);
    const removed = await topics.addresses('mempool_tx_removed');
    assert.deepEqual([removed['transaction_id'], removed['reason']], [id, 'finalized']);
    const changed = await topics.addresses('address_changed');
    assert.equal(changed['balance'], String(await caller.balanceOf(1)));
  });

  test('the metrics of the node say what its routes and its stream say', async (t) => {
    const caller = use();
    const server = await startMetricsServer({
      bind: { host: '127.0.0.1', port: 0 },
      metrics: caller.metrics,
      log: SILENT_LOG,
    });
    t.after(() => server.close());
    const scrape = async () =>
      seriesOf(await (await fetch(`http://127.0.0.1:${server.address.port}/metrics`)).text());
    const submissions = (of: ReadonlyMap<string, number>, kind: string, result: string) =>
      of.get(`svc_node_submissions_total{kind="${kind}",result="${result}"}`) ?? Number.NaN;
    const earlier = await scrape();
    const wire = await caller.sign({ from: 8, to: 1, amount: COIN, validFrom: caller.height + 20 });
    for (const status of [200, 200])
      assert.equal((await caller.submit(wire)).status, status, 'accepted, then known');
    const bad = await caller.sign({ from: 5, to: 2, amount: COIN });
    bad[bad.length - 100] = (bad[bad.length - 100] ?? 0) ^ 1;
    assert.equal((await caller.submit(bad)).status, 422);
    await caller.mineBlock([]);
    const found = await scrape();

    const { body: status } = await caller.get<StatusDocument>('/v1/node/status');
    assert.ok(status.mempool.transactions > 0, 'and perhaps a heartbeat');
    assert.equal(status.work_pool_blocks, 1);
    const { registered, executed, rewards } = await workOfAllCuts(caller);
    assert.ok(registered > 0 && executed > 0 && rewards > 0);
    const expected: Readonly<Record<string, number>> = {
      [`svc_node_info{version="${VERSION}",network="development"}`]: 1,
      svc_node_finalized_height: status.finalized_height,
      svc_node_synced: 1,
      svc_node_peers: 0,
      svc_node_best_peer_height: 0,
      svc_node_cuts_total: status.finalized_height,
      svc_node_registered_blocks_total: registered,
      svc_node_executed_blocks_total: executed,
      svc_node_paid_rewards_total: rewards,
      svc_node_mempool_transactions: status.mempool.transactions,
      svc_node_mempool_bytes: status.mempool.bytes,
      svc_node_work_pool_blocks: status.work_pool_blocks,
      svc_node_p2p_received_bytes_total: 0,
      svc_node_p2p_sent_bytes_total: 0,
      svc_node_p2p_queued_cuts: 0,
      svc_node_p2p_queued_blocks: 0,
      'svc_node_cut_step_seconds_count{step="commit"}': status.finalized_height,
      'svc_node_queue_depth{queue="http"}': 0,
      'svc_node_queue_depth{queue="proof_of_work"}': 0,
      'svc_node_queue_depth{queue="signatures"}': 0,
      'svc_node_queue_depth{queue="sockets"}': 0,
    };
    for (const [name, value] of Object.entries(expected))
      assert.equal(found.get(name), value, name);
    for (const [kind, result] of [
      ['transaction', 'accepted'],
      ['transaction', 'known'],
      ['transaction', 'refused'],
      ['block', 'accepted'],
    ] as const) {
      const more = submissions(found, kind, result) - submissions(earlier, kind, result);
      assert.equal(more, 1, `${kind} ${result}`);
    }
    assert.ok((found.get('svc_node_uptime_seconds') ?? 0) > 0);
    for (const name of found.keys()) assertLabelsAreFixed(name);
  });

  test('requests that are not answered yet stand in the queue of the metrics', async () => {
    const caller = use();
    const depth = () => seriesOf(caller.metrics.text()).get('svc_node_queue_depth{queue="http"}');
    const { hostname, port } = new URL(caller.base);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST /v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    while (depth() !== 1) await new Promise(setImmediate);
    socket.destroy();
    while (depth() !== 0) await new Promise(setImmediate);
  });
}

/** Subscribes on a socket of its own; gives the data of the next event of a type. */
async function subscribed(
  t: TestContext,
  caller: Caller,
  topic: TopicName,
  more: object = {},
): Promise<(type: string) => Promise<Frame['data']>> {
  const client = await TestClient.open(caller.base, 'api');
  t.after(async () => {
    client.webSocket.close();
    await client.closed;
  });
  const subscription = await client.subscribe(topic, more);
  return async (type) => {
    for (;;) {
      const event = await client.event(subscription);
      if (event.type === type) return event.data;
    }
  };
}

/** What the stream of cuts told of every one of them. */
async function workOfAllCuts(
  caller: Caller,
): Promise<Record<'registered' | 'executed' | 'rewards', number>> {
  const client = await TestClient.open(caller.base, 'events', '/v1/events?after_height=0');
  await client.expect('checkpoint');
  const sums = { registered: 0, executed: 0, rewards: 0 };
  for (let height = 1; height <= caller.height; height++) {
    const cut = await client.expect('cut_finalized');
    sums.registered += cut['registered_work'] as number;
    sums.executed += cut['executed_work'] as number;
    sums.rewards += (cut['rewards'] as unknown[]).length;
  }
  client.webSocket.close();
  await client.closed;
  return sums;
}

/** No text from outside is ever a label. */
function assertLabelsAreFixed(series: string): void {
  const name = series.replace(/(?:_bucket|_sum|_count)?(?:\{.*)?$/, '');
  const { labels = {} }: MetricEntry = METRICS[name as MetricName];
  for (const [, label = '', value = ''] of series.matchAll(/(\w+)="([^"]*)"/g)) {
    if (label === 'le' || name === 'svc_node_info') continue;
    assert.ok(labels[label]?.includes(value), series);
  }
}

function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}
