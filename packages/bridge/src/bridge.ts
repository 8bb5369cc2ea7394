/**
 * The bridge as a whole: a node's work on one side, miners on the other. All wiring of `svc-bridge` is here.
 */
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import { chainDatasetFolder, FullPow, PowPeriods, startPow } from 'svc-pow';
import {
  type Bind,
  type Certificate,
  type Listening,
  listenTcp,
  listenTls,
  listenWebSocket,
  METRICS_CONTENT_TYPE,
  metricsText,
  type ReportOptions,
  type ReportPorts,
  Statistics,
  StratumServer,
  servePages,
  serverMetrics,
  statisticsDocument,
  WorkSource,
} from 'svc-stratum';
import { init } from 'svc-wasm';
import { fromHex, type Network } from 'svc-wasm/base';

export interface BridgeOptions {
  readonly release: string;
  readonly nodes: readonly URL[];
  readonly listen: readonly Bind[];
  readonly listenTls: readonly Bind[];
  readonly certificate?: Certificate;
  readonly listenWs: readonly Bind[];
  readonly origins: readonly string[];
  /** Null for none. */
  readonly statistics: Bind | null;
  readonly metrics: Bind | null;
  readonly startDifficulty: bigint;
  readonly leastDifficulty: bigint;
  readonly pow: 'light' | 'full';
  /** Where datasets are kept. */
  readonly datasetFolder: string;
}

export interface Bridge {
  readonly tcp: readonly Listening[];
  readonly tls: readonly Listening[];
  readonly ws: readonly Listening[];
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
  await init();
  const source = new WorkSource({ clock, log: log.part('node') }, { nodes: options.nodes });
  const chain = await source.start();
  const periods = new PowPeriods({
    chainId: fromHex(chain.chain_id, 'chain_id', 48),
    parameters: { network: chain.network as Network, interval: chain.interval_cuts },
  });
  const { pow: mode, datasetFolder } = options;
  const folder = chainDatasetFolder(datasetFolder, chain.chain_id);
  const pow = startPow({ mode, periods, folder, clock, log });
  const preparing = pow.prepare(source.height).catch((error: unknown) => {
    log.error({ reason: messageOf(error) }, 'the proof of work could not be prepared');
  });
  // A full dataset takes minutes; until then shares are checked with the cache alone.
  if (!(pow instanceof FullPow)) await preparing;
  const statistics = new Statistics(clock);
  const vardiff = { start: options.startDifficulty, least: options.leastDifficulty };
  const server = new StratumServer(
    { source, pow, periods, statistics, clock, log: log.part('stratum') },
    { chain, vardiff },
  );
  const report: ReportOptions = {
    prefix: 'svc_bridge_',
    release: options.release,
    network: chain.network,
  };
  const opened: Listening[] = [];
  const close = async (): Promise<void> => {
    source.close();
    server.close();
    await Promise.all(opened.map((listening) => listening.close()));
    await pow.close();
  };
  try {
    const listeners = await openListeners(server, options, opened);
    const pages = await openPages({ server, source, statistics, clock }, report, options, opened);
    return { ...listeners, ...pages, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openListeners(server: StratumServer, options: BridgeOptions, opened: Listening[]) {
  const open = async (
    binds: readonly Bind[],
    listen: (bind: Bind) => Promise<Listening>,
  ): Promise<Listening[]> => {
    const listenings: Listening[] = [];
    for (const bind of binds) listenings.push(await listen(bind));
    opened.push(...listenings);
    return listenings;
  };
  const { certificate, origins } = options;
  return {
    tcp: await open(options.listen, (bind) => listenTcp(bind, server.accept)),
    tls: await open(options.listenTls, (bind) =>
      listenTls(bind, certificate as Certificate, server.accept),
    ),
    ws: await open(options.listenWs, (bind) => listenWebSocket({ bind, origins }, server.accept)),
  };
}

async function openPages(
  ports: ReportPorts,
  report: ReportOptions,
  options: BridgeOptions,
  opened: Listening[],
) {
  const open = async (bind: Bind | null, path: string, contentType: string, text: () => string) => {
    if (bind === null) return undefined;
    const listening = await servePages(bind, { [path]: { contentType, text } });
    opened.push(listening);
    return listening;
  };
  return {
    statistics: await open(options.statistics, '/v1/stats', 'application/json', () =>
      JSON.stringify(statisticsDocument(ports, report)),
    ),
    metrics: await open(options.metrics, '/metrics', METRICS_CONTENT_TYPE, () =>
      metricsText(serverMetrics(ports, report)),
    ),
  };
}
