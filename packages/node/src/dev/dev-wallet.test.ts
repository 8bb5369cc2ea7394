import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { NodeMetrics } from '../metrics/node-metrics.ts';
import { startDevNetwork } from './dev-network.ts';

interface Status {
  readonly balance: string;
  readonly indexed_height: number;
  readonly scan: { readonly phase: string };
}

test('a development network runs a wallet of its words, which goes back with it and ends with it', {
  timeout: 300_000,
}, async () => {
  const network = await startDevNetwork(
    {
      cutTime: 'manual',
      validators: 1,
      port: 0,
      stateDir: null,
      wallet: true,
      miner: false,
      browserOrigins: [],
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
  const { wallet } = network.facts;
  assert.ok(wallet !== null);
  const { bind, tokenFile } = wallet;
  const url = `http://${bind.host}:${bind.port}`;
  const token = readFileSync(tokenFile, 'utf8').trim();
  const call = async <T>(method: string, params: object = {}): Promise<T> => {
    const response = await fetch(`${url}/v1/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return ((await response.json()) as { result: T }).result;
  };
  const status = () => call<Status>('status');
  const newAddress = async (label: string) =>
    (await call<{ address: string }>('new_address', { label })).address;
  const labels = async () => {
    const { addresses } = await call<{ addresses: { label: string | null }[] }>('addresses');
    return addresses.map(({ label }) => label).filter((label) => label !== null);
  };
  const reaches = async (height: number): Promise<Status> => {
    for (;;) {
      const found = await status();
      if (found.scan.phase === 'following' && found.indexed_height === height) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  try {
    await network.mine(1);
    assert.ok(Number((await reaches(1)).balance) > 1_000_000);
    await newAddress('customer 1');
    const name = await network.snapshot();
    assert.equal(network.starts, 2);
    await reaches(1);
    const given = await newAddress('customer 2');
    await network.mine(2);
    await reaches(3);
    assert.equal(await network.revert(name), 1);
    assert.equal(network.starts, 3);
    // The daemon answers when the revert is done, and knows what it knew when the snapshot was taken.
    await reaches(1);
    assert.deepEqual(await labels(), ['customer 1']);
    assert.equal(await newAddress('customer 3'), given);
    await network.mine(1);
    await reaches(2);
    // A snapshot that cannot be written leaves node and daemon running.
    await assert.rejects(network.snapshot('no\0file'), { code: 'ERR_INVALID_ARG_VALUE' });
    await network.mine(1);
    await reaches(3);
  } finally {
    await network.close();
  }
  await assert.rejects(fetch(`${url}/health`));
  assert.ok(!existsSync(tokenFile));
});
