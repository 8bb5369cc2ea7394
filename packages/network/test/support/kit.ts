/**
 * Networks on loopback TCP for tests: made, connected, waited for, and closed with the test.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { NetworkApplication } from '../../src/application.ts';
import { HOST_LIMITS } from '../../src/host/options.ts';
import { Network, type NetworkOptions } from '../../src/network.ts';

const directories = new Set<string>();
process.once('exit', () => {
  for (const path of directories) rmSync(path, { recursive: true, force: true });
});

/** Removed when the process ends: a network writes its peer book while it closes. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-network-'));
  directories.add(path);
  return path;
}

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
): Promise<Network> {
  const directory = options.directory ?? temporaryDirectory();
  const network = await Network.create({ ...LOOPBACK, ...options, directory }, application);
  t.after(() => network.close());
  await network.start();
  return network;
}

export async function until(
  condition: () => boolean,
  what: string,
  timeoutMillis = 10_000,
): Promise<void> {
  const end = Date.now() + timeoutMillis;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`timed out waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
