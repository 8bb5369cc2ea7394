/**
 * A development network with a real node for tests of the wallet. Cuts are made when a test waits for them, and the
 * chain lives in memory, so that a test takes as much of the machine as it needs and no more.
 */
import { SILENT_LOG } from 'svc-base/pure';
import type { DevOptions } from '../../../node/src/dev/dev-config.ts';
import { startDevNetwork } from '../../../node/src/dev/index.ts';
import { NodeMetrics } from '../../../node/src/metrics/node-metrics.ts';

export type TestNetwork = Awaited<ReturnType<typeof startTestNetwork>>;

export async function startTestNetwork(options: Partial<DevOptions> = {}) {
  const network = await startDevNetwork(
    {
      cutTime: 'manual',
      validators: 1,
      port: 0,
      stateDir: null,
      memory: true,
      wallet: false,
      miner: true,
      browserOrigins: [],
      ...options,
    },
    {
      log: SILENT_LOG,
      metrics: new NodeMetrics({ version: '0.0.0', network: 'development' }),
      version: '0.0.0',
      onFatal: (error) => {
        throw error;
      },
    },
  );
  const { host, port } = network.facts.http;
  return {
    network,
    url: `http://${host}:${port}`,
    words: network.facts.words,
    close: () => network.close(),
  };
}
