import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TROUBLES } from 'svc-api';
import { METRIC_NAMES, METRICS, type MetricEntry } from './catalogue.ts';

function fileOf(path: string): string {
  return readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
}

/** What a scrape shows: a histogram has three series. */
const SERIES = new Map<string, MetricEntry>(
  METRIC_NAMES.flatMap((name) => {
    const entry: MetricEntry = METRICS[name];
    const endings = entry.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    return endings.map((ending) => [`${name}${ending}`, entry] as const);
  }),
);

function expectKnown(text: string, where: string): Set<string> {
  const names = new Set(text.match(/svc_node_\w+/g));
  for (const name of names)
    assert.ok(SERIES.has(name), `${where} names ${name}, which no node has`);
  return names;
}

test('every metric in the alerts, the dashboard and the guide is one that a node has', () => {
  const alerts = fileOf('ops/prometheus/alerts.yml');
  expectKnown(alerts, 'the alerts');
  const dashboard = JSON.parse(fileOf('ops/grafana/node.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  assert.ok(expectKnown(shown.join('\n'), 'the dashboard').size > 20);
  const guide = fileOf('docs/operate/monitoring.md').replaceAll('svc_node_cut_step_seconds', '');
  expectKnown(guide, 'the guide');
});

test('the values that alerts and panels ask for are values that the labels can have', () => {
  const text = `${fileOf('ops/prometheus/alerts.yml')}${fileOf('ops/grafana/node.json')}`;
  for (const [, name, label, value] of text.matchAll(
    /(svc_node_\w+)\{(\w+)=\\?"([^"\\$]+)\\?"\}/g,
  )) {
    const values = SERIES.get(name as string)?.labels?.[label as string];
    assert.ok(values?.includes(value as string), `${name}{${label}="${value}"}`);
  }
});

test('every alert is in the guide, and the guide names no other', () => {
  const alerts = [...fileOf('ops/prometheus/alerts.yml').matchAll(/alert: (\w+)/g)].map(
    ([, name]) => name,
  );
  const guide = [...fileOf('docs/operate/monitoring.md').matchAll(/^\| `(Svc\w+)`/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(guide, alerts);
});

test('every trouble is in the guide, with what `/ready` answers', () => {
  const guide = [...fileOf('docs/operate/monitoring.md').matchAll(/^\| `(\w+)` \| (503|200) \|/gm)];
  const isOfValidator = (name: string): boolean => name.startsWith('validator_');
  assert.deepEqual(
    guide.map(([, name, status]) => [name, status]),
    TROUBLES.map((name) => [name, isOfValidator(name) ? '200' : '503']),
  );
});

test('the unit runs a command that exists and knows the exit codes', () => {
  const unit = fileOf('ops/systemd/svcd.service');
  assert.match(unit, /^ExecStart=\S+\/svcd run --data-dir \S+ --metrics-bind 127\.0\.0\.1$/m);
  assert.match(unit, /^RestartPreventExitStatus=2 5$/m);
});
