/**
 * The listener for the metrics of a node.
 */
import { type MetricsServer, startMetricsServer as startServer } from 'svc-base/node';
import type { Log } from 'svc-base/pure';
import type { Bind } from '../config/bind.ts';
import { errorFields } from '../log/log-text.ts';
import type { NodeMetrics } from './node-metrics.ts';

export interface MetricsServerOptions {
  readonly bind: Bind;
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

export function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { bind, log, metrics } = options;
  return startServer({
    bind,
    text: () => metrics.text(),
    onFailure: (error) => log.error(errorFields(error), 'metrics could not be read'),
  });
}
