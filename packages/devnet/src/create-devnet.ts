/**
 * Starts a development network in the process of the caller.
 */
import { readFileSync } from 'node:fs';
import { SILENT_LOG } from 'svc-base/pure';
import { NodeMetrics, startDevNetwork, VERSION } from 'svc-node/dev';
import type { Devnet, DevnetOptions } from './devnet.ts';
import { expectNode } from './expect-node.ts';
import { RunningDevnet } from './running-devnet.ts';

/**
 * Starts a network in this process; `await using` ends it with the block.
 *
 * @example
 * await using net = await createDevnet();
 * const [alice, bob] = net.accounts;
 * const { transactionId } = await pay(net.client, { from: alice, to: bob.address, amount: coins('1') });
 * await net.mineUntilFinal(transactionId);
 */
export async function createDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  expectNode(process.versions.node);
  const { load } = options;
  if (load !== undefined && options.stateDir !== undefined)
    throw new TypeError('a network that is loaded lives in memory: give load or stateDir');
  const network = await startDevNetwork(
    {
      validators: options.validators ?? 1,
      cutTime: options.cutTime ?? 'manual',
      port: options.port ?? 0,
      stateDir: options.stateDir ?? null,
      memory: options.stateDir === undefined,
      ...(load === undefined ? {} : { load: typeof load === 'string' ? readFileSync(load) : load }),
      wallet: false,
      miner: true,
      browserOrigins: options.browserOrigins ?? [],
    },
    {
      log: SILENT_LOG,
      metrics: new NodeMetrics({ version: VERSION, network: 'development', validator: true }),
      version: VERSION,
      onFatal: options.onFatal ?? throwLater,
    },
  );
  return new RunningDevnet(network);
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
