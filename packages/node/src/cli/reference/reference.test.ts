import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { GENERATOR } from './markdown.ts';
import { referencePages } from './pages.ts';

function committed(path: string): string {
  return readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8');
}

test('the reference pages are what their generator makes', () => {
  for (const { path, text } of referencePages()) {
    const found = committed(path);
    const problem = `${path} is out of date; run ${GENERATOR}`;
    if (path.endsWith('.json')) assert.deepEqual(JSON.parse(found), JSON.parse(text), problem);
    else assert.equal(found, text, problem);
  }
});

test('every command, setting and metric has its place in the pages', () => {
  const [cli, config, , metrics] = referencePages().map(({ text }) => text);
  for (const name of [
    'svcd run',
    'svcd genesis make',
    'svcd snapshot import',
    'svcd validator-check',
  ]) {
    assert.ok(cli?.includes(`## ${name}\n`), name);
  }
  assert.ok(config?.includes('## validator.heartbeat.max_fee_atoms\n'));
  assert.ok(metrics?.includes('- `svc_node_cut_step_seconds` (histogram;'));
});

test('the schema for editors takes the example of the configuration page', () => {
  const text = committed('docs/operate/config.md');
  const [, example] = /```jsonc\n(.*?)```/s.exec(text) ?? [];
  const plain = (example as string)
    .replaceAll(/^\s*\/\/.*$|\s\/\/ .*$/gm, '')
    .replaceAll(/,(\s*[}\]])/g, '$1');
  const schema = JSON.parse(committed('docs/reference/node.schema.json')) as object;
  assert.ok(Value.Check(schema as never, JSON.parse(plain)), plain);
});
