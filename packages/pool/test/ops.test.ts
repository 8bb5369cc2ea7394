import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { Statistics, WorkSource } from 'svc-stratum';
import { init } from 'svc-wasm';
import { openBooks } from '../src/books/books.ts';
import { BookReader } from '../src/books/read-books.ts';
import { ShareWriter } from '../src/books/share-writer.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { PoolReport } from '../src/web/pool-report.ts';

function fileOf(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

test('every metric of the alerts, the dashboard and the guide is one that a pool has', async (t) => {
  await init();
  const clock = SYSTEM_CLOCK;
  const database = await openDatabase(join(temporaryDirectory(t), 'pool.db'), assert.fail);
  t.after(() => database.close());
  await openBooks(database, { chainId: 'ab', poolAddress: 'dsvc1pool', height: 0 });
  const report = new PoolReport(
    {
      books: new BookReader(database),
      servers: { pplns: undefined, solo: undefined },
      source: new WorkSource({ clock, log: SILENT_LOG }, { nodes: [] }),
      statistics: new Statistics(clock),
      writer: new ShareWriter({ database, clock, onFatal: assert.fail }),
      payer: undefined,
      clock,
    },
    {
      release: '0.1.0',
      network: 'development',
      name: 'pool',
      poolAddress: 'dsvc1pool',
      feeBasisPoints: 0n,
      windowBlocks: 1n,
      threshold: 1n,
      urls: { pplns: [], solo: [] },
    },
  );
  const text = await report.metrics();
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
