import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { metricsText, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { BLOCK_RESULTS, REFUSAL_NAMES } from 'svc-mining';
import { Statistics, type StratumServer, serverMetrics, WorkSource } from 'svc-mining/server';

function fileOf(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

function scrape(): string {
  const clock = SYSTEM_CLOCK;
  const source = new WorkSource({ clock, log: SILENT_LOG }, { nodes: [] });
  const server = { connections: 1, addresses: 1, jobs: 1, bans: { total: 0, active: 0 } };
  const ports = {
    clock,
    source,
    statistics: new Statistics(clock),
    server: server as StratumServer,
  };
  const options = { prefix: 'svc_bridge_', release: '0.1.0', network: 'development' };
  return metricsText(serverMetrics(ports, options));
}

test('every metric of the alerts, the dashboard and the guide is one that a bridge has', () => {
  const names = new Set([...scrape().matchAll(/^(svc_bridge_\w+)/gm)].map(([, name]) => name));
  for (const path of [
    'ops/prometheus/mining-alerts.yml',
    'ops/grafana/bridge.json',
    'docs/operate/mining.md',
  ])
    for (const [name] of fileOf(path).matchAll(/svc_bridge_\w+/g))
      assert.ok(names.has(name), `${path} names ${name}, which no bridge has`);
});

test('the results that alerts and the guide ask for are results that there are', () => {
  const text = `${fileOf('ops/prometheus/mining-alerts.yml')}${fileOf('docs/operate/mining.md')}`;
  const known: readonly string[] = ['accepted', ...BLOCK_RESULTS, ...REFUSAL_NAMES];
  const asked = [...text.matchAll(/svc_(?:bridge|pool)_\w+\{result=~?"([a-z_|]+)"/g)].flatMap(
    ([, list]) => (list as string).split('|'),
  );
  assert.ok(asked.length > 5);
  for (const result of asked) assert.ok(known.includes(result), result);
});

test('every alert is in the guide, and the guide names no other', () => {
  const alerts = [...fileOf('ops/prometheus/mining-alerts.yml').matchAll(/alert: (SvcBridge\w+)/g)];
  const guide = [...fileOf('docs/operate/mining.md').matchAll(/^\| `(SvcBridge\w+)`/gm)];
  const nameOf = ([, name]: RegExpMatchArray) => name;
  assert.deepEqual(guide.map(nameOf), alerts.map(nameOf));
});

test('the unit runs a command that exists, with options that it has', () => {
  const unit = fileOf('ops/systemd/svc-bridge.service');
  assert.match(unit, /^ExecStart=\S+\/svc-bridge --listen \S+ --dataset \S+$/m);
  assert.match(unit, /^RestartPreventExitStatus=2$/m);
});
