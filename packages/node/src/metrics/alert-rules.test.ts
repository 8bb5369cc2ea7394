/** The alerts of all programs, read and tried by Prometheus' own program where it is installed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promtoolComplaints, withoutPromtool } from 'svc-base/testing';

const RULES = new URL('../../../../ops/prometheus/', import.meta.url);
const names = readdirSync(RULES).filter((name) => name.endsWith('.yml'));
const pathOf = (name: string): string => fileURLToPath(new URL(name, RULES));
const textOf = (name: string): string => readFileSync(pathOf(name), 'utf8');

test('every alert has a trial in which it is expected', () => {
  assert.equal(names.length, 3);
  for (const name of names) {
    const alerts = [...textOf(name).matchAll(/alert: (\w+)/g)].map(([, alert]) => alert);
    const expected = [...textOf(`tests/${name}`).matchAll(/alertname="(\w+)"/g)];
    assert.deepEqual(new Set(expected.map(([, alert]) => alert)), new Set(alerts), name);
  }
});

test('alerts fire for programs in trouble and for no others, as Prometheus reads them', {
  skip: withoutPromtool,
}, () => {
  assert.equal(promtoolComplaints(['check', 'rules', ...names.map(pathOf)]), '');
  const trials = names.map((name) => pathOf(`tests/${name}`));
  assert.equal(promtoolComplaints(['test', 'rules', ...trials]), '');
});
