import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { SilenceWatch } from './silence-watch.ts';
import { recordLine } from './test-record.ts';

const LIMITS = { testMillis: 300_000, tellMillis: 60_000, graceMillis: 30_000 };

test('a process without progress is reported, then asked to end, then ended', (t) => {
  const folder = temporaryDirectory(t);
  const records = join(folder, 'records');
  const told: string[] = [];
  const signals: unknown[] = [];
  const child = { kill: (signal?: unknown) => signals.push(signal) > 0 };
  const tell = (line: string): void => void told.push(line);
  let starved = 0;
  const ports = { title: 'group', records, child, tell, starvedMillis: () => starved };
  const watch = new SilenceWatch(ports, LIMITS, 0);

  watch.look(59_000);
  assert.deepEqual(told, []);
  watch.look(60_000);
  assert.deepEqual(told.splice(0), ['group: no progress for 60 s; running: no test']);

  const outer = { file: 'a.test.ts', name: 'outer', nesting: 0, processorMillis: 0 };
  const inner = { file: 'a.test.ts', name: 'inner', nesting: 1, processorMillis: 0 };
  const begun = [outer, inner].map((test) => recordLine({ type: 'begun', ...test })).join('');
  writeFileSync(records, begun);
  watch.look(100_000);
  watch.look(159_000);
  assert.deepEqual(told, []);
  watch.look(165_000);
  assert.deepEqual(told.splice(0), ['group: no progress for 65 s; running: a.test.ts: inner']);

  const ended = recordLine({ type: 'ended', ...inner, outcome: 'passed', millis: 1 });
  writeFileSync(records, begun + ended);
  watch.look(200_000);
  watch.look(260_000);
  assert.deepEqual(told.splice(0), ['group: no progress for 60 s; running: a.test.ts: outer']);

  starved = 1_000_000;
  watch.look(1_529_999);
  assert.deepEqual(signals, [], 'what it waited for a processor is not counted');
  watch.look(1_530_000);
  assert.deepEqual(signals, ['SIGTERM']);
  watch.look(1_560_000);
  assert.deepEqual(signals, ['SIGTERM', 'SIGKILL']);
});
