import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { metricsText } from 'svc-base/pure';
import { minerMetrics } from '../src/program/miner-metrics.ts';
import type { StatisticsDocument } from '../src/program/statistics.ts';

const ALERTS = 'ops/prometheus/mining-alerts.yml';
const GUIDE = 'docs/operate/mining.md';

const DOCUMENT: StatisticsDocument = {
  api_version: 1,
  release: '0.1.0',
  uptime_seconds: 1,
  algorithm: 'SVC_POW_V1',
  is_paused: false,
  page: null,
  server: {
    url: null,
    is_connected: false,
    losses: 0,
    latency_millis: null,
    difficulty: '1',
    anchor_height: null,
    period: null,
  },
  hashrate: { total: [null, null, null], highest: 0 },
  shares: {
    accepted: 1,
    refused: 1,
    refusals: { stale: 1 },
    given_up: 0,
    without_room: 0,
    unanswered: 0,
  },
  blocks: {},
  devices: [
    {
      id: 'cpu:0',
      name: 'a processor',
      kind: 'cpu',
      state: 'searching',
      dataset_progress: 1,
      hashrate: [1, null, null],
      hashes: 1,
      wrong: 0,
    },
  ],
};

function fileOf(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

function minerAlerts(): string {
  const text = fileOf(ALERTS);
  return text.slice(text.indexOf('name: svc-miner'));
}

const TEXT = metricsText(minerMetrics(DOCUMENT));

test('every metric of the alerts, the dashboard and the guide is one that a miner has', () => {
  const names = new Set([...TEXT.matchAll(/^(svc_miner_\w+)/gm)].map(([, name]) => name));
  for (const path of [ALERTS, 'ops/grafana/miner.json', GUIDE]) {
    const used = [...fileOf(path).matchAll(/svc_miner_\w+/g)];
    assert.ok(used.length > 0, path);
    for (const [name] of used)
      assert.ok(names.has(name), `${path} names ${name}, which no miner has`);
  }
});

test('the dashboard shows every metric that a miner has', () => {
  const names = [...TEXT.matchAll(/^# TYPE (svc_miner_\w+)/gm)].map(([, name]) => name as string);
  const dashboard = fileOf('ops/grafana/miner.json');
  assert.ok(names.length > 8);
  for (const name of names) assert.ok(dashboard.includes(name), name);
});

test('the results that alerts ask for are there before the first of them happens', () => {
  const asked = [...minerAlerts().matchAll(/(svc_miner_\w+)\{result=~?"([a-z_|]+)"/g)];
  assert.ok(asked.length > 2);
  for (const [, name, list] of asked)
    for (const result of (list as string).split('|'))
      assert.ok(TEXT.includes(`${name}{result="${result}"}`), `${name} ${result}`);
});

test('every alert is in the guide, and the guide names no other', () => {
  const alerts = [...minerAlerts().matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const guide = [...fileOf(GUIDE).matchAll(/^\| `(SvcMiner\w+)`/gm)].map(([, name]) => name);
  assert.ok(alerts.length > 0);
  assert.deepEqual(guide, alerts);
});

test('the unit runs a command that exists, with options that it has', () => {
  const [, words] =
    /^ExecStart=\S+\/svc-miner (.+)$/m.exec(fileOf('ops/systemd/svc-miner.service')) ?? [];
  const options = [...(words ?? '').matchAll(/--[a-z-]+/g)].map(([option]) => option);
  assert.ok(options.length > 0);
  const main = fileOf('packages/miner/src/cli/main.ts');
  for (const option of options) assert.ok(main.includes(option), option);
});
