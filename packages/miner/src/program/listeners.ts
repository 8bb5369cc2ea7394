/**
 * The two listeners of the miner: `GET /v1/stats` for programs and `GET /metrics` for Prometheus. Both only read, and
 * listen on this machine alone by default. Figures name the server and workers, so pages of browsers are refused.
 */
import { type Bind, type Listening, openReportListener } from 'svc-base/node';
import { METRICS_CONTENT_TYPE, metricsText } from 'svc-base/pure';
import { minerMetrics } from './miner-metrics.ts';
import type { Statistics } from './statistics.ts';

export function startStatistics(bind: Bind, statistics: Statistics): Promise<Listening> {
  const text = () => `${JSON.stringify(statistics.document())}\n`;
  return open(bind, '/v1/stats', 'application/json', text);
}

export function startMetrics(bind: Bind, statistics: Statistics): Promise<Listening> {
  const text = () => metricsText(minerMetrics(statistics.document()));
  return open(bind, '/metrics', METRICS_CONTENT_TYPE, text);
}

function open(bind: Bind, path: string, contentType: string, text: () => string) {
  const pages = { [path]: { contentType, text } };
  const onFailure = (error: unknown): never => {
    throw error;
  };
  return openReportListener({ bind, pages, refusesBrowsers: true, onFailure });
}
