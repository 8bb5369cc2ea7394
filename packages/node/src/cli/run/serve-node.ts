/**
 * A node from its configuration to its end.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT } from 'svc-base/cli';
import { letOutsideMemoryGrow } from 'svc-base/node';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { readTablesUnmapped } from 'svc-storage';
import { init } from 'svc-wasm';
import { isImporting } from '../../chain/import-lock.ts';
import { finishReplacing, importedPath } from '../../chain/replace-chain.ts';
import { SnapshotListener } from '../../chain/snapshot-listener.ts';
import { formatBind } from '../../config/bind.ts';
import { chainParameters, keepGenesis, loadGenesis } from '../../config/genesis-file.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { NodeConfig } from '../../config/node-config.ts';
import { StatusReporter } from '../../log/status-line.ts';
import { NodeMetrics, startMetricsServer } from '../../metrics/node-metrics.ts';
import { VERSION } from '../../version.ts';
import { type Life, live, openLog, type Service } from './lifecycle.ts';

export async function serveNode(
  { config, warnings }: LoadedConfig,
  newSignState: boolean,
): Promise<never> {
  letOutsideMemoryGrow();
  const isUnmapped = readTablesUnmapped();
  await init();
  const nodeLog = await openLog(config.log);
  if (!isUnmapped)
    nodeLog.log.warn(
      {},
      'a table file that is cut short or cannot be read will end this node with SIGBUS',
    );
  for (const warning of warnings) nodeLog.log.warn({}, warning);
  return live(nodeLog, (life) => startService(config, newSignState, life));
}

/** Stopped before there was anything to serve. */
const NOTHING: Service = { close: async () => {} };

async function startService(
  config: NodeConfig,
  newSignState: boolean,
  { log, onFatal, stopping }: Life,
): Promise<Service> {
  const { network } = config;
  const version = VERSION;
  const named = loadGenesis(config);
  const parameters = chainParameters(config, named);
  keepGenesis(config.dataDir, named);
  for (const { height, id } of parameters.recoveries)
    log.info({ height, id }, 'follows a recovery');
  log.info({ version, network, chain: named.chainId, data_dir: config.dataDir }, 'starting');
  const chainDirectory = join(config.dataDir, 'chain');
  finishReplacing(chainDirectory);
  if (!existsSync(chainDirectory) && (await isImporting(chainDirectory)))
    throw new CliError(EXIT.refused, `an import into ${chainDirectory} is under way`, {
      hint: 'start the node when it has ended',
    });
  if (!existsSync(chainDirectory) && existsSync(importedPath(chainDirectory)))
    log.warn({ folder: importedPath(chainDirectory) }, 'an import of a snapshot was not finished');
  await using starting = new AsyncDisposableStack();
  const validator = config.validator !== null;
  const metrics = starting.adopt(new NodeMetrics({ version, network, validator }), (one) =>
    one.close(),
  );
  const { bind } = config.metrics;
  const server = bind === null ? null : await startMetricsServer({ bind, metrics, log });
  starting.defer(async () => server?.close());
  if (config.sync.state) {
    const { beginWithState } = await import('./begin-with-state.ts');
    const context = { ...named, version, log, metrics, stopping, clock: SYSTEM_CLOCK };
    if (!(await beginWithState(config, context))) return NOTHING;
  }
  const { startNode } = await import('../../compose/start-node.ts');
  const context = { ...named, parameters, newSignState, log, metrics, version, onFatal };
  const node = await startNode(config, context);
  letOutsideMemoryGrow(); // Now the trees of a large state count.
  starting.defer(() => node.close());
  const { chain } = node.core;
  const { dataDir } = config;
  const snapshots = await SnapshotListener.open({ chain, dataDir, clock: SYSTEM_CLOCK, log });
  starting.defer(async () => snapshots?.close());
  const facts = () => node.status();
  const seconds = config.log.statusSeconds;
  const reporter = new StatusReporter({ clock: SYSTEM_CLOCK, seconds, facts, log });
  reporter.start();
  starting.defer(() => reporter.close());
  log.info(
    {
      http: formatBind(node.http),
      mining: formatBind(node.mining),
      metrics: server === null ? 'off' : formatBind(server.address),
    },
    'ready',
  );
  const closing = starting.move();
  return { close: () => closing.disposeAsync() };
}
