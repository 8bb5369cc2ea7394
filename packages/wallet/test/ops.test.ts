/** What operators are given for the wallet daemon: metrics, alerts, a dashboard and the guide to them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { expectGoodMetrics, temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { digestOf, newToken } from '../src/file/token.ts';
import { TokenStore, tokensPath } from '../src/file/token-store.ts';
import { startDaemon } from './testing/daemon.ts';

const ALERTS = 'ops/prometheus/wallet-alerts.yml';
const DASHBOARD = 'ops/grafana/wallet.json';
const GUIDE = 'docs/integrate/exchange.md';

function fileOf(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

test('the metrics of a daemon are what the alerts, the dashboard and the guide name', async (t) => {
  await init();
  const daemon = await startDaemon({
    directory: temporaryDirectory(t),
    service: 'http://127.0.0.1:1',
    metricsBind: { host: '127.0.0.1', port: 0 },
  });
  t.after(() => daemon.close());
  new TokenStore(tokensPath(daemon.file)).create({
    ...{ name: 'hot', scopes: ['spend'], digest: digestOf(newToken()), createdAtMillis: 1 },
    limits: { budget: 'hot', dayMax: 5n, paymentMax: null, allowlist: null },
  });
  await daemon.call('status', {});
  await daemon.raw({ jsonrpc: '2.0', id: 1, method: 'made_up', params: {} });
  await daemon.raw('{}', { authorization: 'Bearer no' });
  const { metricsUrl } = daemon.running;
  const text = await (await fetch(metricsUrl as string)).text();
  await expectGoodMetrics(t, text);
  for (const line of [
    'svc_wallet_calls_total{method="status"} 1',
    'svc_wallet_calls_total{method="unknown"} 1',
    'svc_wallet_refusals_total{kind="unknown_method"} 1',
    'svc_wallet_refusals_total{kind="day_limit"} 0',
    'svc_wallet_wrong_tokens_total 1',
    'svc_wallet_day_max_atoms{token="hot"} 5',
    'svc_wallet_day_spent_atoms{token="hot"} 0',
    'svc_wallet_node_reachable 0',
  ]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
  const other = await fetch((metricsUrl as string).replace('/metrics', '/v1/rpc'));
  assert.equal(other.status, 404);

  const series = new Set([...text.matchAll(/^(svc_wallet_\w+)/gm)].map(([, name]) => name));
  for (const path of [ALERTS, DASHBOARD, GUIDE]) {
    const used = [...fileOf(path).matchAll(/svc_wallet_\w+/g)];
    assert.ok(used.length > 0, path);
    for (const [name] of used) assert.ok(series.has(name), `${path} names ${name}`);
  }
  for (const [, name] of text.matchAll(/^# TYPE (svc_wallet_\w+)/gm)) {
    assert.ok(fileOf(DASHBOARD).includes(name as string), `the dashboard shows ${name}`);
  }
  for (const [, name, label, list] of fileOf(ALERTS).matchAll(
    /(svc_wallet_\w+)\{(\w+)=~?"([a-z_|]+)"\}/g,
  )) {
    for (const value of (list as string).split('|'))
      assert.ok(text.includes(`${name}{${label}="${value}"}`), `${name} ${value}`);
  }
});

test('every alert is in the guide, and the guide names no other', () => {
  const alerts = [...fileOf(ALERTS).matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const guide = [...fileOf(GUIDE).matchAll(/^\| `(SvcWallet\w+)`/gm)].map(([, name]) => name);
  assert.ok(alerts.length > 5);
  assert.deepEqual(guide, alerts);
});
