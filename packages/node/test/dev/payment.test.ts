/**
 * The way of a payment through a whole network, and every way in which it can fail. Blocks are mined when a
 * test wants one, except for the payment that goes all the way by itself. Every test has accounts of its own.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import type { StatusDocument, TransactionStatus } from 'svc-api';
import { SILENT } from '../../src/base/log.ts';
import { METRICS, type MetricEntry, type MetricName } from '../../src/metrics/catalogue.ts';
import { startMetricsServer } from '../../src/metrics/metrics-server.ts';
import { TestClient } from '../sockets/kit/test-client.ts';
import { Caller, callNetwork, VERSION } from './kit.ts';

const COIN = 100_000_000n;
const ORDER = ['processing', 'receiving', 'registered', 'finalized'];
let caller: Caller;

/** The words that a stream told, without repetition. */
function stepsOf(statuses: readonly TransactionStatus[]): string[] {
  const steps = statuses.map(({ lifecycle, failure }) => failure ?? lifecycle);
  return steps.filter((step, at) => step !== steps[at - 1]);
}

/** Makes cuts until the stream has ended by itself. */
async function watchToTheEnd(id: string, on: Caller = caller): Promise<TransactionStatus[]> {
  let isOver = false;
  const watched = on.watch(id).finally(() => {
    isOver = true;
  });
  for (let cuts = 0; !isOver && cuts < 60; cuts++) await on.network.mine(1);
  assert.ok(isOver, 'the stream goes on');
  return watched;
}

test('a payment goes from the keys of a wallet into a finalized cut, watched on the status stream', async (t) => {
  const network = await callNetwork(t, { cutTime: 'manual', validators: 1 });
  const before = await network.balanceOf(1);
  const id = await network.pay({ from: 0, to: 1, amount: 5n * COIN });
  const statuses = await watchToTheEnd(id, network);
  const steps = stepsOf(statuses);
  assert.equal(steps.at(-1), 'finalized');
  assert.deepEqual(
    steps.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)),
    steps,
  );
  const last = statuses.at(-1);
  assert.ok(last?.finalized_cut && last.registered_cut && last.observed_work);
  assert.equal(last.finalized_cut.height, last.registered_cut.height + 1);
  assert.equal(await network.balanceOf(1), before + 5n * COIN);
  assert.deepEqual((await network.statusOf(id)).finalized_cut, last.finalized_cut);
});

suite('a payment on a development network', () => {
  before(async () => {
    caller = await Caller.start({ cutTime: 'manual', validators: 1, miner: false });
  });
  after(() => caller.close());

  test('[LIFE-01] [LIFE-02] [LIFE-03] [LIFE-04] [STATUS-03] [STATUS-04] [STATUS-05] [STATUS-06] [NSOCK-27] it waits, is mined, registered and executed, and every stage is told', async () => {
    const wire = await caller.sign({ from: 0, to: 1, amount: COIN });
    const id = caller.idOf(wire);
    assert.equal((await caller.submit(wire)).status, 200);
    const watched = caller.watch(id);
    const waiting = {
      api_version: 1,
      transaction_id: id,
      lifecycle: 'processing',
      observed_work: null,
      registered_cut: null,
      finalized_cut: null,
      failure: null,
    };
    assert.deepEqual(await caller.statusOf(id), waiting);
    const block_id = await caller.mineBlock([wire]);
    const mined = { ...waiting, lifecycle: 'receiving', observed_work: { block_id } };
    assert.deepEqual(await caller.statusOf(id), mined);
    const registered = await statusAfter(id, 'receiving');
    const registered_cut = await headOf();
    assert.deepEqual(registered, { ...mined, lifecycle: 'registered', registered_cut });
    await caller.network.mine(1);
    const final = await caller.statusOf(id);
    const finalized_cut = await headOf();
    assert.deepEqual(final, { ...registered, lifecycle: 'finalized', finalized_cut });
    assert.deepEqual(await watched, [waiting, mined, registered, final]);
  });

  test('[HTTPERR-05] a payment that the mempool forgets is dropped', async () => {
    const id = await caller.pay({ from: 2, to: 1, amount: COIN, validFrom: caller.height + 20 });
    assert.equal((await caller.statusOf(id)).lifecycle, 'processing');
    await caller.post('/v1/dev/drop_transaction', { transaction_id: id });
    const { lifecycle, failure } = await caller.statusOf(id);
    assert.deepEqual([lifecycle, failure], ['failed', 'dropped']);
  });

  test('[HTTPERR-05] of two payments with the same coin the second is a conflict, for good', async () => {
    const [coin] = await caller.coinsOf(3);
    assert.ok(coin !== undefined);
    const first = await caller.sign({ from: 3, to: 1, amount: COIN, coins: [coin] });
    const second = await caller.sign({ from: 3, to: 2, amount: COIN, coins: [coin] });
    assert.equal((await caller.submit(first)).status, 200);
    assert.equal((await caller.submit(second)).status, 409);
    await caller.mineBlock([first]);
    await caller.network.mine(2);
    await caller.mineBlock([second]);
    const steps = stepsOf(await watchToTheEnd(caller.idOf(second)));
    assert.equal(steps.at(-1), 'conflict');
    assert.ok((await caller.statusOf(caller.idOf(second))).finalized_cut);
    assert.equal((await caller.statusOf(caller.idOf(first))).lifecycle, 'finalized');
  });

  test('[HTTPERR-05] a payment that is executed too late has expired, for good', async () => {
    const wire = await caller.sign({ from: 4, to: 1, amount: COIN, validUntil: caller.height + 1 });
    await caller.mineBlock([wire]);
    const steps = stepsOf(await watchToTheEnd(caller.idOf(wire)));
    assert.equal(steps.at(-1), 'expired');
  });

  test('a payment that nobody mines has expired after its last height', async () => {
    const id = await caller.pay({ from: 4, to: 1, amount: COIN, validUntil: caller.height + 3 });
    await caller.network.mine(3);
    const { lifecycle, failure } = await caller.statusOf(id);
    assert.deepEqual([lifecycle, failure], ['failed', 'expired']);
  });

  test('[HTTPERR-05] a payment with a wrong signature is refused, and invalid if a block carries it', async () => {
    const wire = await caller.sign({ from: 5, to: 1, amount: COIN });
    wire[wire.length - 100] = (wire[wire.length - 100] ?? 0) ^ 1;
    assert.equal((await caller.submit(wire)).status, 422);
    await caller.mineBlock([wire]);
    await caller.network.mine(3);
    const { lifecycle, failure } = await caller.statusOf(caller.idOf(wire));
    assert.deepEqual([lifecycle, failure], ['failed', 'invalid']);
  });

  test('[HTTPERR-05] an operation that cannot be done has no effect, and costs nothing', async () => {
    const before = await caller.balanceOf(6);
    const address = caller.accountText(6);
    const wire = await caller.sign({
      from: 6,
      to: 1,
      amount: COIN,
      operation: {
        type: 'bond',
        data: {
          validator_id: 'ab'.repeat(48),
          owner_address: address,
          reward_address: address,
          amount: String(COIN),
        },
      },
    });
    await caller.mineBlock([wire]);
    await caller.network.mine(3);
    const { lifecycle, failure } = await caller.statusOf(caller.idOf(wire));
    assert.deepEqual([lifecycle, failure], ['failed', 'no_effect']);
    assert.equal(await caller.balanceOf(6), before);
  });

  test('[BLOCK-01] a block is paid when its window has closed, and its reward can be spent', async () => {
    const payout = 7;
    const id = await caller.mineBlock([], payout);
    const stateOf = async () => {
      const { body } = await caller.get<{ reward: { state: string; amount: string } }>(
        `/v1/blocks/${id}`,
      );
      return body.reward;
    };
    assert.equal((await stateOf()).state, 'waiting');
    await caller.network.mine(2);
    assert.equal((await stateOf()).state, 'registered');
    await caller.network.mine(96);
    const reward = await stateOf();
    assert.equal(reward.state, 'paid');
    const coins = await caller.coinsOf(payout);
    const paid = coins.find(([, { source }]) => source === 'work_reward');
    assert.ok(paid !== undefined && paid[1].amount === BigInt(reward.amount));
    const wire = await caller.sign({ from: payout, to: 8, amount: COIN / 10n, coins: [paid] });
    assert.equal((await caller.submit(wire)).status, 200);
    await caller.mineBlock([wire]);
    const steps = stepsOf(await watchToTheEnd(caller.idOf(wire)));
    assert.equal(steps.at(-1), 'finalized');
  });

  test('the metrics of the node say what its routes and its stream say', async (t) => {
    const server = await startMetricsServer({
      bind: { host: '127.0.0.1', port: 0 },
      metrics: caller.metrics,
      log: SILENT,
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
    const { registered, executed, rewards } = await workOfAllCuts();
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
    const depth = async () =>
      seriesOf(await caller.metrics.text()).get('svc_node_queue_depth{queue="http"}');
    const { hostname, port } = new URL(caller.base);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST /v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    while ((await depth()) !== 1) await new Promise(setImmediate);
    socket.destroy();
    while ((await depth()) !== 0) await new Promise(setImmediate);
  });
});

/** The status once it is another; a cut that was proposed before a block came does not register it. */
async function statusAfter(id: string, lifecycle: string): Promise<TransactionStatus> {
  for (let cuts = 0; cuts < 3; cuts++) {
    await caller.network.mine(1);
    const status = await caller.statusOf(id);
    if (status.lifecycle !== lifecycle) return status;
  }
  return assert.fail(`it is still ${lifecycle}`);
}

async function headOf(): Promise<object> {
  return (await caller.get<{ cut: object }>('/v1/chain/head')).body.cut;
}

/** What the stream of cuts told of every one of them. */
async function workOfAllCuts(): Promise<Record<'registered' | 'executed' | 'rewards', number>> {
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
