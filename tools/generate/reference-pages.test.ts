import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { METHOD_LIST, RPC_ERRORS } from '../../packages/api/src/rpc/index.ts';
import { ROOT } from '../release/paths.ts';
import { referencePages } from './generated-files.ts';

const committed = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('the committed reference pages equal what their generators make', () => {
  for (const { path, text } of referencePages())
    assert.equal(committed(path), text, `${path} is out of date; run npm run generate`);
});

test('every command, setting, metric, method and error has a place in the pages', () => {
  const [cli, config, , metrics, , rpc] = referencePages().map(({ text }) => text);
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
  for (const { name } of METHOD_LIST) assert.ok(rpc?.includes(`### \`${name}\``), name);
  for (const kind of Object.keys(RPC_ERRORS)) assert.ok(rpc?.includes(`\`${kind}\``), kind);
});

test('the schema for editors accepts the example of the configuration page', () => {
  const text = committed('docs/operate/config.md');
  const [, example] = /```jsonc\n(.*?)```/s.exec(text) ?? [];
  const plain = (example as string)
    .replaceAll(/^\s*\/\/.*$|\s\/\/ .*$/gm, '')
    .replaceAll(/,(\s*[}\]])/g, '$1');
  const schema = JSON.parse(committed('docs/reference/node.schema.json')) as object;
  assert.ok(Value.Check(schema as never, JSON.parse(plain)), plain);
});
