/**
 * A server's statistics as a document and as metrics. Bridge and pool differ by the prefix of their metrics.
 */
import type { Clock, Histogram, Metric } from 'svc-base/pure';
import { BLOCK_RESULTS, REFUSAL_NAMES } from 'svc-mining';
import type { WorkSource } from '../../node/work-source.ts';
import type { StratumServer } from '../stratum-server.ts';
import type { Statistics, WorkerLine } from './statistics.ts';

export interface ReportPorts {
  readonly server: Pick<StratumServer, 'connections' | 'addresses' | 'jobs' | 'bans'>;
  readonly source: WorkSource;
  readonly statistics: Statistics;
  readonly clock: Clock;
}

export interface ReportOptions {
  /** `svc_bridge_` or `svc_pool_`. */
  readonly prefix: string;
  readonly release: string;
  readonly network: string;
}

export function statisticsDocument(ports: ReportPorts, { release, network }: ReportOptions) {
  const { server, source, statistics, clock } = ports;
  const rates = statistics.rates();
  return {
    api_version: 1,
    release,
    network,
    uptime_seconds: Math.trunc((clock.monotonic() - statistics.startedAt) / 1_000),
    node: { url: source.nodeUrl ?? null, state: source.state, finalized_height: source.height },
    connections: server.connections,
    addresses: server.addresses,
    open_jobs: server.jobs,
    hashrate: rateDocument(rates),
    shares: {
      accepted: statistics.accepted,
      work: String(statistics.work),
      refused: Object.fromEntries(statistics.refusals),
    },
    blocks: Object.fromEntries(statistics.blocks),
    bans: server.bans,
    workers: statistics.workers.map((line) => workerDocument(line, statistics)),
  };
}

function rateDocument({ tenSeconds, minute, quarter }: ReturnType<Statistics['rates']>) {
  return { '10s': tenSeconds, '60s': minute, '15m': quarter };
}

function workerDocument(line: WorkerLine, statistics: Statistics) {
  const { address, worker, connections, accepted, stale, refused, blocks } = line;
  return {
    address,
    worker,
    connections,
    hashrate: rateDocument(statistics.ratesOf(line)),
    accepted,
    stale,
    refused,
    blocks,
    work: String(line.work),
    since_millis: line.sinceMillis,
    last_share_millis: line.lastShareMillis,
  };
}

export function serverMetrics(ports: ReportPorts, options: ReportOptions): Metric[] {
  const { server, source, statistics, clock } = ports;
  const { prefix, release, network } = options;
  const gauge = (name: string, help: string, value: number): Metric => ({
    name: `${prefix}${name}`,
    type: 'gauge',
    help,
    samples: [{ value }],
  });
  const counter = (name: string, help: string, samples: Metric['samples']): Metric => ({
    name: `${prefix}${name}`,
    type: 'counter',
    help,
    samples,
  });
  const histogram = (name: string, help: string, values: Histogram): Metric => ({
    name: `${prefix}${name}`,
    type: 'histogram',
    help,
    samples: values.samples(),
  });
  const uptime = (clock.monotonic() - statistics.startedAt) / 1_000;
  const shares = [
    { labels: { result: 'accepted' }, value: statistics.accepted },
    ...REFUSAL_NAMES.map((result) => ({
      labels: { result },
      value: statistics.refusals.get(result) ?? 0,
    })),
  ];
  const blocks = BLOCK_RESULTS.map((result) => ({
    labels: { result },
    value: statistics.blocks.get(result) ?? 0,
  }));
  return [
    {
      ...gauge('info', 'Release and network; always 1.', 1),
      samples: [{ labels: { version: release, network }, value: 1 }],
    },
    gauge('uptime_seconds', 'Seconds since the start.', uptime),
    gauge('node_connected', 'Whether a node gives work.', source.state === 'ready' ? 1 : 0),
    gauge('finalized_height', 'Height of the last finalized cut.', source.height),
    gauge('connections', 'Connections of miners.', server.connections),
    gauge('addresses', 'Payout addresses that are mined for.', server.addresses),
    gauge('open_jobs', 'Jobs whose window is open.', server.jobs),
    gauge('hashrate', 'Hashes in a second over the last minute.', statistics.rates().minute),
    gauge('banned_sources', 'Sources that are banned now.', server.bans.active),
    counter('bans_total', 'Bans since the start.', [{ value: server.bans.total }]),
    counter('shares_total', 'Requests of miners by result.', shares),
    counter('blocks_total', 'Blocks that were found, by what became of them.', blocks),
    histogram('share_check_seconds', 'Time to check a share.', statistics.checks),
    histogram('job_seconds', 'Time from a cut to the job sent.', statistics.fanouts),
  ];
}
