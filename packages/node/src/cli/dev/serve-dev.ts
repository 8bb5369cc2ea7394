/**
 * A development network from start to end.
 */
import { note, resultJson } from 'svc-base/cli';
import { letOutsideMemoryGrow, replaceFileSync } from 'svc-base/node';
import { init } from 'svc-wasm';
import type { LogConfig } from '../../config/node-config.ts';
import type { DevOptions } from '../../dev/dev-config.ts';
import type { DevNetwork } from '../../dev/dev-network.ts';
import { NodeMetrics } from '../../metrics/node-metrics.ts';
import { VERSION } from '../../version.ts';
import { type Life, live, type Service } from '../run/lifecycle.ts';
import { openLog } from '../run/open-log.ts';
import { banner, factsDocument } from './banner.ts';
import { hasKeyboard, listenToKeys } from './keyboard.ts';

export interface ServeDevOptions {
  readonly log: LogConfig;
  /** A file for the facts, as JSON. */
  readonly configOut: string | null;
  readonly json: boolean;
  readonly startedAt: number;
}

export async function serveDev(options: DevOptions, telling: ServeDevOptions): Promise<never> {
  letOutsideMemoryGrow();
  const { readTablesUnmapped } = await import('svc-storage');
  readTablesUnmapped();
  await init();
  const nodeLog = await openLog(telling.log);
  return live(nodeLog, async (life) => {
    const network = await start(options, life);
    tell(network, telling);
    const stopKeys = hasKeyboard() ? listenToKeys(network) : () => {};
    return closing(network, stopKeys);
  });
}

async function start(options: DevOptions, { log, onFatal }: Life): Promise<DevNetwork> {
  const version = VERSION;
  const metrics = new NodeMetrics({ version, network: 'development', validator: true });
  const { startDevNetwork } = await import('../../dev/index.ts');
  return startDevNetwork(options, { log, metrics, version, onFatal });
}

function tell(network: DevNetwork, { configOut, json, startedAt }: ServeDevOptions): void {
  const { facts, firstCut } = network;
  const document = factsDocument(facts);
  if (configOut !== null)
    replaceFileSync(
      configOut,
      `${JSON.stringify(document, null, 2)}
`,
    );
  if (json) resultJson(document);
  note(banner(facts, (performance.now() - startedAt) / 1_000, hasKeyboard()));
  void firstCut.then((height) => note(`cut ${height} is final`));
}

function closing(network: DevNetwork, stopKeys: () => void): Service {
  return {
    async close() {
      stopKeys();
      const { stateDir } = network.facts;
      note(stateDir === null ? 'stopping …' : `stopping; the state is kept in ${stateDir} …`);
      await network.close();
      note('stopped');
    },
  };
}
