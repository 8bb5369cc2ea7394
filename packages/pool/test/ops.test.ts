import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openPoolWeb } from '../src/testing/pool-web.ts';

function fileOf(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

test('every metric of the alerts, the dashboard and the guide is one that a pool has', async (t) => {
  const web = await openPoolWeb();
  t.after(() => web.close());
  const text = await web.report.metrics();
  const names = new Set([...text.matchAll(/^(svc_pool_\w+)/gm)].map(([, name]) => name));
  const files = [
    'ops/prometheus/mining-alerts.yml',
    'ops/grafana/pool.json',
    'docs/operate/pool.md',
  ];
  for (const path of files)
    for (const [name] of fileOf(path).matchAll(/svc_pool_\w+/g))
      assert.ok(names.has(name), `${path} names ${name}, which no pool has`);
  const states = [
    ...fileOf('ops/prometheus/mining-alerts.yml').matchAll(/svc_pool_\w+\{state="(\w+)"\}/g),
  ];
  for (const [, state] of states) assert.ok(text.includes(`{state="${state}"}`), String(state));
});

test('every alert is in the guide, and the guide names no other', () => {
  const alerts = [...fileOf('ops/prometheus/mining-alerts.yml').matchAll(/alert: (SvcPool\w+)/g)];
  const guide = [...fileOf('docs/operate/pool.md').matchAll(/^\| `(SvcPool\w+)`/gm)];
  const nameOf = ([, name]: RegExpMatchArray) => name;
  assert.ok(alerts.length > 0);
  assert.deepEqual(guide.map(nameOf), alerts.map(nameOf));
});

test('the unit runs a command that exists, with options that it has', () => {
  const unit = fileOf('ops/systemd/svc-pool.service');
  const [, words] = /^ExecStart=\S+\/svc-pool (.+)$/m.exec(unit) ?? [];
  const main = fileOf('packages/pool/src/main.ts');
  for (const [option] of (words ?? '').matchAll(/--[a-z-]+/g))
    assert.ok(main.includes(option) || option === '--pplns-listen', option);
  assert.match(unit, /^RestartPreventExitStatus=2$/m);
});
