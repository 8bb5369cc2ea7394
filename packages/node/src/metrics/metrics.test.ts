import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { SILENT_LOG, Signal } from 'svc-base/pure';
import { askAsHost, expectGoodMetrics, until } from 'svc-base/testing';
import { CUT_STEPS, type RemovedTransaction } from 'svc-serve/ports';
import { METRICS_PORT } from '../config/resolve.ts';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { METRIC_NAMES, METRICS, type MetricEntry } from './catalogue.ts';
import { type MetricPorts, NodeMetrics, startMetricsServer } from './node-metrics.ts';

/** The names of the specification, with their labels. */
const SPECIFIED: Record<string, string[]> = {
  svc_node_info: ['version', 'network'],
  svc_node_uptime_seconds: [],
  svc_node_finalized_height: [],
  svc_node_synced: [],
  svc_node_peers: [],
  svc_node_best_peer_height: [],
  svc_node_cuts_total: [],
  svc_node_registered_blocks_total: [],
  svc_node_executed_blocks_total: [],
  svc_node_paid_rewards_total: [],
  svc_node_submissions_total: ['kind', 'result'],
  svc_node_mempool_transactions: [],
  svc_node_work_pool_blocks: [],
  svc_node_p2p_received_bytes_total: [],
  svc_node_p2p_sent_bytes_total: [],
  svc_node_p2p_queued_cuts: [],
  svc_node_p2p_queued_blocks: [],
  svc_node_cut_step_seconds: ['step'],
};

function sources(chain: MetricPorts['chain'], rest: Partial<MetricPorts> = {}): MetricPorts {
  return {
    chain,
    mempool: { size: 3, bytes: 900, removed: new Signal<RemovedTransaction>() },
    blocks: { size: 2 },
    relay: { peers: { inbound: 4, outbound: 8 }, bestPeerHeight: 50 },
    sync: () => ({ synced: false, behindBy: 45 }),
    ...rest,
  };
}

function valuesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

test('every metric that the specification names is served, with its labels', () => {
  const metrics = new NodeMetrics({ version: '1.2.3', network: 'development' });
  const values = valuesOf(metrics.text());
  for (const [name, labels] of Object.entries(SPECIFIED)) {
    const series = [...values.keys()].find((key) =>
      new RegExp(`^${name}(?:_count)?(?:\\{|$)`).test(key),
    );
    assert.ok(series !== undefined, name);
    const found = [...series.matchAll(/(\w+)="/g)].map(([, label]) => label);
    assert.deepEqual(found.sort(), [...labels].sort(), name);
  }
  assert.equal(values.get('svc_node_info{version="1.2.3",network="development"}'), 1);
  assert.equal(METRICS_PORT, 28_790);
});

test('every series is there from the start, and only those of a validator are left out', async (t) => {
  for (const validator of [false, true]) {
    const metrics = new NodeMetrics({ version: '1', network: 'development', validator });
    const text = metrics.text();
    for (const name of METRIC_NAMES) {
      const entry: MetricEntry = METRICS[name];
      assert.equal(
        text.includes(`# TYPE ${name} ${entry.type}\n`),
        validator || entry.when === undefined,
      );
    }
    await expectGoodMetrics(t, text);
    for (const step of CUT_STEPS)
      assert.ok(text.includes(`svc_node_cut_step_seconds_count{step="${step}"} 0`));
    assert.ok(text.includes('svc_node_submissions_total{kind="block",result="late"} 0'));
  }
});

test('a chain that goes on is counted, and levels are read when they are asked for', async () => {
  const chain = await ChainFixture.create();
  const removed = new Signal<RemovedTransaction>();
  const metrics = new NodeMetrics({ version: '1', network: 'development', validator: true });
  let received = 10;
  let heartbeatsLeft: number | null = null;
  assert.equal(valuesOf(metrics.text()).get('svc_node_validator_heartbeats_left'), undefined);
  metrics.watch(
    sources(chain, {
      mempool: { size: 3, bytes: 900, removed },
      updates: () => ({ required: false, announced: true }),
      traffic: () => ({ receivedBytes: received, sentBytes: 20, queuedCuts: 5, queuedBlocks: 6 }),
      removals: () => ({ recent: 2, committeeShare: 0.25 }),
      queues: { signatures: () => 7 },
      validator: () => ({
        signedWindows: 9,
        missedWindows: 2,
        heartbeatAgeEpochs: 1,
        heartbeatsLeft,
        isInCommittee: false,
        isJailed: true,
        isLapsed: false,
      }),
    }),
  );
  const wire = await chain.pay(0, chain.address(1), 5_000n);
  await chain.cut([chain.mine([wire]), chain.mine([])]);
  await chain.runTo(5);
  removed.emit({ pooled: undefined as never, reason: 'evicted' });
  metrics.submission('transaction', 'accepted');
  metrics.submission('block', 'late');
  metrics.cutStep('commit', 0.03);
  for (const status of [200, 304, 404, 503, 101, 999]) metrics.httpAnswer(status);
  let values = valuesOf(metrics.text());
  const expected: Record<string, number> = {
    svc_node_finalized_height: 5,
    svc_node_cuts_total: 5,
    svc_node_registered_blocks_total: 2,
    svc_node_executed_blocks_total: 2,
    svc_node_paid_rewards_total: 0,
    svc_node_synced: 0,
    svc_node_behind_by: 45,
    svc_node_peers: 12,
    svc_node_best_peer_height: 50,
    svc_node_mempool_transactions: 3,
    svc_node_mempool_bytes: 900,
    'svc_node_mempool_removed_total{reason="evicted"}': 1,
    svc_node_work_pool_blocks: 2,
    'svc_node_submissions_total{kind="transaction",result="accepted"}': 1,
    'svc_node_submissions_total{kind="block",result="late"}': 1,
    'svc_node_cut_step_seconds_count{step="commit"}': 1,
    'svc_node_cut_step_seconds_bucket{le="0.025",step="commit"}': 0,
    'svc_node_cut_step_seconds_bucket{le="0.05",step="commit"}': 1,
    'svc_node_http_answers_total{status="2xx"}': 2,
    'svc_node_http_answers_total{status="4xx"}': 1,
    'svc_node_http_answers_total{status="5xx"}': 2,
    'svc_node_queue_depth{queue="signatures"}': 7,
    svc_node_p2p_received_bytes_total: 10,
    svc_node_p2p_queued_cuts: 5,
    svc_node_update_announced: 1,
    svc_node_update_required: 0,
    svc_node_validator_signed_windows: 9,
    svc_node_validator_missed_windows: 2,
    svc_node_removed_validators: 2,
    svc_node_committee_removed_share: 0.25,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(values.get(name), value, name);
  assert.ok((values.get('svc_node_heap_used_bytes') ?? 0) > 1e6);
  assert.ok((values.get('svc_node_cpu_seconds_total') ?? 0) > 0);
  assert.equal(values.get('svc_node_validator_heartbeats_left'), undefined, 'not known yet');
  await chain.runTo(98);
  received = 30;
  heartbeatsLeft = 0;
  values = valuesOf(metrics.text());
  assert.equal(
    values.get('svc_node_paid_rewards_total'),
    1,
    'the block without fees was due nothing',
  );
  assert.equal(values.get('svc_node_p2p_received_bytes_total'), 30);
  assert.equal(values.get('svc_node_validator_heartbeats_left'), 0);
  heartbeatsLeft = null;
  values = valuesOf(metrics.text());
  assert.equal(values.get('svc_node_validator_heartbeats_left'), undefined, 'unknown again');
  metrics.close();
  await chain.cut();
  assert.equal(valuesOf(metrics.text()).get('svc_node_cuts_total'), 98);
  await chain.close();
});

test('a loop that stands still is seen', async () => {
  const metrics = new NodeMetrics({ version: '1', network: 'development' });
  metrics.watch(
    sources({
      head: { height: 0, cutId: '', stateRoot: '', outputs: 0 },
      retention: { mode: 'full', firstHeight: 1, indexedFrom: 1, blocksFrom: 1 },
      idsLeft: 0,
      finalized: new Signal(),
    }),
  );
  // The first timer that the meter sees tells nothing: on a busy machine it may come after the standstill.
  await until(async () => {
    await new Promise((done) => setTimeout(done, 30));
    const end = performance.now() + 200;
    while (performance.now() < end);
    await new Promise((done) => setTimeout(done, 30));
    const worst = valuesOf(metrics.text()).get('svc_node_event_loop_lag_seconds{quantile="1"}');
    return worst !== undefined && worst > 0.15;
  }, 'a timer that was late');
  metrics.close();
});

interface Answer {
  status: number;
  text: string;
  headers: Record<string, unknown>;
}

function ask(port: number, method: string, path: string, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': body.length };
    const call = request(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

test('[AUTH-05] the listener answers GET /metrics and nothing else', async (t) => {
  const metrics = new NodeMetrics({ version: '1', network: 'development' });
  const server = await startMetricsServer({
    bind: { host: '127.0.0.1', port: 0 },
    metrics,
    log: SILENT_LOG,
  });
  t.after(() => server.close());
  const { port } = server.address;
  assert.equal(server.address.host, '127.0.0.1');
  const good = await ask(port, 'GET', '/metrics');
  assert.equal(good.status, 200);
  assert.equal(good.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  assert.match(good.text, /^svc_node_uptime_seconds /m);
  await expectGoodMetrics(t, good.text);
  assert.equal((await ask(port, 'GET', '/metrics?name=x')).status, 200);
  const url = `http://127.0.0.1:${port}/metrics`;
  assert.equal(await askAsHost(url, `evil.example:${port}`), 403, 'a name bound to this machine');
  assert.equal(await askAsHost(url, `localhost:${port}`), 200);
  for (const path of [
    '/',
    '/metrics/',
    '/metric',
    '//metrics',
    '/v1/node/status',
    '/health',
    '/debug',
  ]) {
    assert.equal((await ask(port, 'GET', path)).status, 404, path);
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']) {
    const { status, headers } = await ask(port, method, '/metrics', method === 'HEAD' ? '' : 'x');
    assert.equal(status, 405, method);
    assert.equal(headers['allow'], 'GET');
  }
  await server.close();
  await assert.rejects(ask(port, 'GET', '/metrics'), { code: 'ECONNREFUSED' });
});
