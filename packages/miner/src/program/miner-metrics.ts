/**
 * The figures of the miner as metrics; every name begins with `svc_miner_`.
 */
import type { Metric, Sample } from 'svc-base/pure';
import { BLOCK_RESULTS, REFUSAL_NAMES } from 'svc-mining';
import type { StatisticsDocument } from './statistics.ts';

interface MinerMetric extends Omit<Metric, 'samples'> {
  readonly samples: (document: StatisticsDocument) => readonly Sample[];
}

/** Names without an event yet are 0: the first event of a kind is an increase, and alerts see it. */
function byName(
  table: Readonly<Record<string, number>>,
  label: string,
  names: readonly string[],
): readonly Sample[] {
  const zeros = Object.fromEntries(names.map((name) => [name, 0]));
  return Object.entries({ ...zeros, ...table }).map(([name, value]) => ({
    labels: { [label]: name },
    value,
  }));
}

export const MINER_METRICS: readonly MinerMetric[] = [
  {
    name: 'svc_miner_info',
    type: 'gauge',
    help: 'The release that runs, as a label.',
    samples: ({ release }) => [{ labels: { version: release }, value: 1 }],
  },
  {
    name: 'svc_miner_uptime_seconds',
    type: 'gauge',
    help: 'Seconds since the start.',
    samples: ({ uptime_seconds: value }) => [{ value }],
  },
  {
    name: 'svc_miner_connected',
    type: 'gauge',
    help: 'Whether a server gives work now.',
    samples: ({ server }) => [{ value: server.is_connected ? 1 : 0 }],
  },
  {
    name: 'svc_miner_connection_losses_total',
    type: 'counter',
    help: 'Connections that ended or did not come about.',
    samples: ({ server }) => [{ value: server.losses }],
  },
  {
    name: 'svc_miner_hashes_total',
    type: 'counter',
    help: 'Hashes made, by device.',
    samples: ({ devices }) =>
      devices.map(({ id, hashes }) => ({ labels: { device: id }, value: hashes })),
  },
  {
    name: 'svc_miner_hashrate',
    type: 'gauge',
    help: 'Hashes a second over the last ten seconds, by device.',
    samples: ({ devices }) =>
      devices.map(({ id, hashrate }) => ({ labels: { device: id }, value: hashrate[0] ?? 0 })),
  },
  {
    name: 'svc_miner_device_errors_total',
    type: 'counter',
    help: 'Finds of a device that the processor did not confirm.',
    samples: ({ devices }) =>
      devices.map(({ id, wrong }) => ({ labels: { device: id }, value: wrong })),
  },
  {
    name: 'svc_miner_dataset_ready',
    type: 'gauge',
    help: 'Share of the dataset that is ready, from 0 to 1, by device.',
    samples: ({ devices }) =>
      devices.map(({ id, dataset_progress: value }) => ({ labels: { device: id }, value })),
  },
  {
    name: 'svc_miner_shares_total',
    type: 'counter',
    help: 'Finds by result: answered by the server, given up, or without room.',
    samples: ({ shares }) => [
      { labels: { result: 'accepted' }, value: shares.accepted },
      { labels: { result: 'refused' }, value: shares.refused },
      { labels: { result: 'given_up' }, value: shares.given_up },
      { labels: { result: 'without_room' }, value: shares.without_room },
    ],
  },
  {
    name: 'svc_miner_refusals_total',
    type: 'counter',
    help: 'Refused shares, by reason.',
    samples: ({ shares }) => byName(shares.refusals, 'reason', REFUSAL_NAMES),
  },
  {
    name: 'svc_miner_blocks_total',
    type: 'counter',
    help: 'Shares that met the block target, by what became of them.',
    samples: ({ blocks }) => byName(blocks, 'result', BLOCK_RESULTS),
  },
];

export function minerMetrics(document: StatisticsDocument): Metric[] {
  return MINER_METRICS.map((metric) => ({ ...metric, samples: metric.samples(document) }));
}
