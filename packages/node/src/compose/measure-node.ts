/**
 * Lets the metrics of a node follow its parts.
 */
import type { ServerResponse } from 'node:http';
import type { Relay } from 'svc-serve/ports';
import type { NodeMetrics } from '../metrics/node-metrics.ts';
import type { PeerNetwork, PeerTraffic } from '../network/peer-network.ts';
import type { DiskWatch } from '../report/disk-watch.ts';
import { RemovalReport } from '../report/removal-report.ts';
import type { RulesWatch } from '../report/rules-watch.ts';
import type { SelfReport } from '../report/self-report.ts';
import type { ValidatorReport } from '../report/validator-report.ts';
import type { Front } from './front.ts';
import type { NodeCore } from './node-core.ts';
import type { RunningSeat } from './seats.ts';

export interface MeasurePorts {
  readonly core: NodeCore;
  readonly front: Front;
  readonly relay: Relay;
  readonly peers: PeerNetwork | undefined;
  readonly seats: readonly RunningSeat[];
  readonly rules: RulesWatch;
  readonly report: SelfReport;
  readonly disk: DiskWatch;
  /** Undefined while the node signs nothing. */
  readonly validator: () => ValidatorReport | undefined;
}

/** Returns what stops the counting of answers, whose listener may outlive the node. */
export function measureNode(metrics: NodeMetrics, parts: MeasurePorts): () => void {
  const { core, front, relay, peers, seats, rules, report, disk, validator } = parts;
  const { chain, mempool, blocks, workers, pow } = core;
  const removals = new RemovalReport(chain);
  let underWay = 0;
  metrics.watch({
    chain,
    mempool,
    blocks,
    relay,
    sync: () => {
      const { synced, behind_by } = report.sync();
      return { synced, behindBy: behind_by };
    },
    updates: () => rules.updates,
    troubles: () => report.troubles().map(({ name }) => name),
    removals: () => removals.figures,
    freeDiskBytes: () => disk.freeBytes,
    ...(peers === undefined ? {} : { traffic: () => allTraffic(peers, seats) }),
    validator: () => validator()?.figures,
    scrub: () => core.scrub,
    queues: {
      signatures: () => workers.waiting,
      proof_of_work: () => pow.waiting,
      http: () => underWay,
      sockets: () => front.sockets.size,
    },
  });
  mempool.answered.on((result) => metrics.submission('transaction', result));
  blocks.answered.on((result) => metrics.submission('block', result));
  chain.stepped.on(({ step, seconds }) => metrics.cutStep(step, seconds));
  const countAnswer = (_: unknown, response: ServerResponse): void => {
    underWay++;
    response.once('close', () => {
      underWay--;
      if (response.writableFinished) metrics.httpAnswer(response.statusCode);
    });
  };
  front.http.server.on('request', countAnswer);
  return () => void front.http.server.off('request', countAnswer);
}

/** All bytes exchanged with other nodes, peers and validators alike. */
function allTraffic(peers: PeerNetwork, seats: readonly RunningSeat[]): PeerTraffic {
  const sum = { ...peers.traffic };
  for (const { traffic } of seats) {
    sum.receivedBytes += traffic().receivedBytes;
    sum.sentBytes += traffic().sentBytes;
  }
  return sum;
}
