import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { expectNoInspector, temporaryDirectory } from 'svc-base/testing';
import { formatGenesis } from 'svc-ledger';
import { ChainFixture } from '../../testing/chain-fixture.ts';
import { SvcdProcess, svcd } from '../testing/svcd.ts';

describe('svcd run', () => {
  let directory: string;
  let chainId: string;
  before(async () => {
    directory = temporaryDirectory();
    const chain = await ChainFixture.create();
    ({ chainId } = chain);
    writeFileSync(join(directory, 'genesis.json'), formatGenesis(chain.genesis));
    await chain.close();
  });

  const WORDS = [
    ...['run', '--network', 'development', '--data-dir', 'data', '--genesis', 'genesis.json'],
    ...['--http-bind', '127.0.0.1:0', '--mining-bind', '127.0.0.1:0', '--listen', '127.0.0.1'],
    ...['--peer-port', '0', '--metrics-bind', '127.0.0.1:0', '--status-seconds', '1'],
  ];

  function linesOf(text: string): Record<string, unknown>[] {
    const lines = text.split('\n').filter((line) => line.endsWith('}'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  test('[OPS-01] svcd run serves metrics, writes its log to a file, and holds its directory alone', async () => {
    const environment = { SVC_STORAGE_FREE_MEGABYTES_MIN: String(2 ** 30) };
    const words = [...WORDS, '--log-file', 'node.log'];
    const node = new SvcdProcess(words, { directory, environment });
    try {
      await node.said('"ready"');
      const ready = linesOf(node.stderr).find(({ message }) => message === 'ready') ?? {};
      const metrics = await (await fetch(`http://${String(ready['metrics'])}/metrics`)).text();
      assert.match(metrics, /^svc_node_info\{version="[^"]+",network="development"\} 1$/m);
      assert.match(metrics, /^svc_node_finalized_height 0$/m);
      const url = `http://${String(ready['http'])}`;
      assert.equal(await (await fetch(`${url}/health`)).text().then((text) => text.trim()), 'ok');

      const isReady = await fetch(`${url}/ready`);
      assert.equal(isReady.status, 503);
      assert.match(await isReady.text(), /no_peers: .*; disk_low: \d+ MiB are free/);
      assert.match(metrics, /^svc_node_trouble\{name="disk_low"\} 1$/m);
      assert.match(metrics, /^svc_node_trouble\{name="clock_behind"\} 0$/m);
      assert.match(metrics, /^svc_node_disk_free_bytes [1-9]\d*$/m);
      assert.match(node.stderr, /the disk of the data directory is nearly full/);

      const status = await svcd(['status', '--url', url, '--json'], { directory });
      const document = JSON.parse(status.stdout) as { status: { chain_id: string } };
      assert.equal(document.status.chain_id, chainId);

      const second = await svcd(WORDS, { directory, environment: { RUST_LOG: 'error' } });
      assert.equal(second.code, 5);
      const lines = linesOf(second.stderr);
      assert.equal(lines.length, 1, 'RUST_LOG leaves errors alone');
      assert.match(
        String(lines[0]?.['error']),
        new RegExp(`is held by process ${node.child.pid} on host`),
      );

      await node.said('peers 0  mempool 0');
      await expectNoInspector({ pid: node.child.pid as number, stderr: () => node.stderr });
      node.child.kill('SIGTERM');
      const { code, stdout } = await node.end();
      assert.deepEqual([code, stdout], [0, '']);
      const written = linesOf(readFileSync(join(directory, 'node.log'), 'utf8'));
      assert.deepEqual(written, linesOf(node.stderr));
      assert.equal(written.at(-1)?.['message'], 'stopped');
      assert.equal(
        readFileSync(join(directory, 'data', 'genesis.json'), 'utf8'),
        readFileSync(join(directory, 'genesis.json'), 'utf8'),
      );
    } finally {
      node.child.kill('SIGKILL');
    }
  });
});
