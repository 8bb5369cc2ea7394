/**
 * Networks on loopback TCP for tests: made, connected, waited for, and closed with the test.
 */
import type { TestContext } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import type { NetworkApplication } from '../../src/application.ts';
import { HOST_LIMITS } from '../../src/host/options.ts';
import { Network, type NetworkOptions } from '../../src/network.ts';

export const LOOPBACK = {
  listenHosts: ['127.0.0.1'],
  port: 0,
  allowPrivateAddresses: true,
  limits: { ...HOST_LIMITS, inboundPerSecond: 1_000 },
} satisfies Partial<NetworkOptions>;

export async function startNetwork(
  t: Pick<TestContext, 'after'>,
  application: NetworkApplication,
  options: Partial<NetworkOptions> = {},
  beforeStart: (network: Network) => void = () => {},
): Promise<Network> {
  // The directory lasts until the process ends: a network writes its peer book while it closes.
  const directory = options.directory ?? temporaryDirectory();
  const network = await Network.create({ ...LOOPBACK, ...options, directory }, application);
  t.after(() => network.close());
  beforeStart(network);
  await network.start();
  return network;
}
