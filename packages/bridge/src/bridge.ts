/**
 * The bridge as a whole: a node's work on one side, miners on the other. All wiring of `svc-bridge` is here.
 */
import { type Bind, type Listening, openReportListener } from 'svc-base/node';
import { type Clock, type Log, METRICS_CONTENT_TYPE, messageOf, metricsText } from 'svc-base/pure';
import {
  type Listeners,
  type ListenersOptions,
  type MiningWorkOptions,
  openListeners,
  openMiningWork,
  type ReportOptions,
  type ReportPorts,
  Statistics,
  StratumServer,
  serverMetrics,
  statisticsDocument,
} from 'svc-mining/server';

export interface BridgeOptions extends MiningWorkOptions, ListenersOptions {
  readonly release: string;
  /** Null for none. */
  readonly statistics: Bind | null;
  /** The page of a node, to which the statistics link; null for none. */
  readonly explorer: string | null;
  readonly metrics: Bind | null;
  readonly startDifficulty: bigint;
  readonly leastDifficulty: bigint;
}

export interface Bridge extends Listeners {
  readonly statistics: Listening | undefined;
  readonly metrics: Listening | undefined;
  close(): Promise<void>;
}

export interface BridgePorts {
  readonly clock: Clock;
  readonly log: Log;
}

export async function startBridge(ports: BridgePorts, options: BridgeOptions): Promise<Bridge> {
  const { clock, log } = ports;
  const work = await openMiningWork(ports, options);
  const { source, chain } = work;
  const statistics = new Statistics(clock);
  const vardiff = { start: options.startDifficulty, least: options.leastDifficulty };
  const server = new StratumServer(
    { ...work, statistics, clock, log: log.part('stratum') },
    { chain, vardiff },
  );
  const report: ReportOptions = {
    prefix: 'svc_bridge_',
    release: options.release,
    network: chain.network,
  };
  const opened: Listening[] = [];
  const close = async (): Promise<void> => {
    server.close();
    await Promise.all(opened.map((listening) => listening.close()));
    await work.close();
  };
  try {
    const listeners = await openListeners(server.accept, options, opened);
    const reporting = { server, source, statistics, clock, log };
    const pages = await openPages(reporting, report, options, opened);
    return { ...listeners, ...pages, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPages(
  { log, ...ports }: ReportPorts & Pick<BridgePorts, 'log'>,
  report: ReportOptions,
  options: BridgeOptions,
  opened: Listening[],
) {
  const open = async (bind: Bind | null, path: string, contentType: string, text: () => string) => {
    if (bind === null) return undefined;
    const listening = await openReportListener({
      bind,
      pages: { [path]: { contentType, text } },
      onFailure: (error) => log.error({ path, reason: messageOf(error) }, 'a report failed'),
    });
    opened.push(listening);
    return listening;
  };
  return {
    statistics: await open(options.statistics, '/v1/stats', 'application/json', () =>
      JSON.stringify(bridgeStatistics(ports, report, options.explorer)),
    ),
    metrics: await open(options.metrics, '/metrics', METRICS_CONTENT_TYPE, () =>
      metricsText(serverMetrics(ports, report)),
    ),
  };
}

/** The statistics of the server, in which every worker leads to what the chain knows of its address. */
function bridgeStatistics(ports: ReportPorts, report: ReportOptions, explorer: string | null) {
  const document = statisticsDocument(ports, report);
  const workers = document.workers.map((worker) => ({
    ...worker,
    page: explorer === null ? null : `${explorer}/address/${worker.address}`,
  }));
  return { ...document, explorer, workers };
}
