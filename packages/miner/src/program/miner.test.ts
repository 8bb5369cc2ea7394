import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { askAsHost, expectGoodMetrics, temporaryDirectory } from 'svc-base/testing';
import { NONCE_OFFSET, type Submit } from 'svc-mining';
import { init } from 'svc-wasm';
import { meetsTarget, pow, powInput } from 'svc-wasm/kernel';
import { CpuDatasets } from '../cpu/cpu-datasets.ts';
import { CpuDevice } from '../cpu/cpu-device.ts';
import { DEVICE_NUMBER_AT } from '../devices/device.ts';
import { transportOpener } from '../sources/open-transport.ts';
import { parseServerUrl } from '../sources/server-url.ts';
import { StratumSource } from '../sources/stratum-source.ts';
import { firstKey, jobOf, ScriptedServer } from '../testing/scripted-server.ts';
import { lineOf, rateText } from './lines.ts';
import { startMetrics, startStatistics } from './listeners.ts';
import { Miner } from './miner.ts';
import { Statistics } from './statistics.ts';

await init();

function mineFor(t: TestContext, port: number) {
  const source = new StratumSource({
    servers: [parseServerUrl(`svc+tcp://127.0.0.1:${port}`)],
    agent: 'svc-miner/test',
    username: 'address.rig',
    clock: SYSTEM_CLOCK,
    openTransport: transportOpener(),
  });
  const folder = temporaryDirectory(t);
  const shared = { clock: SYSTEM_CLOCK, log: SILENT_LOG };
  const datasets = new CpuDatasets({ folder: () => folder, threads: 2, ...shared });
  const devices = [0, 1].map((index) => new CpuDevice({ index, name: 'processor', datasets }));
  const miner = new Miner({ source, devices, datasets, ...shared });
  t.after(() => miner.close());
  const statistics = new Statistics({
    miner,
    clock: SYSTEM_CLOCK,
    release: '1.2.3',
    unanswered: () => source.unanswered,
    page: 'https://node.example/ui/address/svcdev1miner',
  });
  return { miner, statistics };
}

test('[STRATUM-05] two threads make the dataset once and submit nonces at or below the share target', async (t) => {
  const shares: Submit[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = await ScriptedServer.start({
    onSubmit: (share, client) => {
      shares.push(share);
      const { id } = share;
      if (shares.length % 4 === 0) client.send({ type: 'refused', id, code: 21, message: 'old' });
      else client.send({ type: 'submitted', id, accepted: true });
    },
  });
  t.after(() => server.close());
  const { miner, statistics } = mineFor(t, server.port);
  const lines: string[] = [];
  miner.events.on((event) => {
    const line = lineOf(event, statistics);
    if (line !== undefined) lines.push(line);
    const finders = new Set(shares.map(({ nonce }) => nonce[DEVICE_NUMBER_AT]));
    const isEnough = statistics.accepted >= 8 && statistics.refused >= 2;
    if (isEnough && finders.size === 2) resolve();
  });
  miner.start();
  await promise;
  const key = firstKey();
  const cache = pow.makeCache(key.seed, key.cacheBytes);
  const { shareTarget, header } = jobOf(1);
  const seen = new Set<string>();
  for (const { nonce } of shares) {
    const whole = header.slice();
    whole.set(nonce, NONCE_OFFSET);
    const { result } = pow.light(cache, key.datasetBytes, powInput(whole));
    assert.ok(meetsTarget(result, shareTarget));
    seen.add(Buffer.from(nonce).toString('hex'));
  }
  assert.equal(seen.size, shares.length, 'no nonce twice, of neither thread');
  assert.ok(lines.some((line) => line.includes('accepted')));
  assert.ok(lines.some((line) => line.includes('refused')));
  const { shares: counted, devices } = statistics.document();
  assert.deepEqual([counted.accepted, counted.refused], [statistics.accepted, statistics.refused]);
  assert.equal(counted.refusals['unknown_job'], counted.refused);
  assert.ok(devices.every(({ hashes, state }) => hashes > 0 && state === 'searching'));
});

test('pausing rests the devices until they are resumed', async (t) => {
  const server = await ScriptedServer.start();
  t.after(() => server.close());
  const { miner } = mineFor(t, server.port);
  const states = new Set<string>();
  const searching = Promise.withResolvers<void>();
  miner.events.on((event) => {
    if (event.type !== 'device') return;
    states.add(event.state);
    if (event.state === 'searching') searching.resolve();
  });
  miner.start();
  await searching.promise;
  miner.pause();
  assert.ok(miner.seats.every(({ state }) => state === 'paused' || state === 'preparing'));
  miner.resume();
  assert.ok(miner.seats.some(({ state }) => state === 'searching'));
});

test('statistics and metrics show the same figures, read only, and never to a page', async (t) => {
  const server = await ScriptedServer.start();
  t.after(() => server.close());
  const { statistics } = mineFor(t, server.port);
  const bind = { host: '127.0.0.1', port: 0 };
  const [stats, metrics] = await Promise.all([
    startStatistics(bind, statistics),
    startMetrics(bind, statistics),
  ]);
  t.after(() => Promise.all([stats.close(), metrics.close()]));
  const url = (port: number, path: string): string => `http://127.0.0.1:${port}${path}`;
  const document = (await (await fetch(url(stats.port, '/v1/stats'))).json()) as {
    api_version: number;
    devices: unknown[];
    page: string;
  };
  assert.equal(document.api_version, 1);
  assert.equal(document.page, 'https://node.example/ui/address/svcdev1miner');
  assert.equal(document.devices.length, 2);
  const text = await (await fetch(url(metrics.port, '/metrics'))).text();
  await expectGoodMetrics(t, text);
  assert.match(text, /^svc_miner_info\{version="1\.2\.3"\} 1$/m);
  assert.match(text, /^svc_miner_hashes_total\{device="cpu:0"\} 0$/m);
  for (const line of text.trim().split('\n')) assert.match(line, /^(# (HELP|TYPE) )?svc_miner_/);
  const refused = [
    await fetch(url(stats.port, '/')),
    await fetch(url(stats.port, '/v1/stats'), { method: 'POST' }),
    await fetch(url(metrics.port, '/metrics'), {
      headers: { origin: 'http://evil.example' },
    }),
  ];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [404, 405, 403],
  );
  assert.equal(await askAsHost(url(stats.port, '/v1/stats'), 'evil.example'), 403);
  assert.equal(await askAsHost(url(metrics.port, '/metrics'), 'evil.example'), 403);
});

test('rates are written as miners read them', () => {
  assert.deepEqual([0, 999, 1_500, 533_000_000, 2e12].map(rateText), [
    '0 H/s',
    '999 H/s',
    '1.50 kH/s',
    '533.00 MH/s',
    '2.00 TH/s',
  ]);
  assert.equal(rateText(null), 'n/a');
});
