import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unusedAllowances, unusedDependencies } from './unused.ts';

const source = (path: string, text: string) => ({ path, text });

test('a dependency that shipped code never names is found, and one for a loader is not', () => {
  const sources = [
    source('packages/node/src/a.ts', "import { join } from 'left-pad/join'; load('pino-pretty');"),
    source('packages/node/src/a.test.ts', "import x from 'in-tests'; // 'in-prose'"),
  ];
  const dependencies = { 'left-pad': '1', 'pino-pretty': '1', 'in-tests': '1', left: '1' };
  assert.deepEqual(unusedDependencies('node', { dependencies }, sources), [
    'packages/node: shipped code never imports its dependency in-tests',
    'packages/node: shipped code never imports its dependency left',
  ]);
});

test('a development dependency may be named by a test, or have the types of a module that is', () => {
  const sources = [
    source('packages/node/test/a.test.ts', "import x from 'in-tests'; import 'ws';"),
  ];
  const devDependencies = { 'in-tests': '1', '@types/ws': '1', '@types/pg': '1' };
  assert.deepEqual(unusedDependencies('node', { devDependencies }, sources), [
    'packages/node: nothing imports its development dependency @types/pg',
  ]);
});

test('an allowance of the layer table is used by shipped code, at the entry that it names', () => {
  const used = "import 'svc-base'; import 'svc-page/pool-files'; import 'svc-wasm'; import 'pg';";
  const found = unusedAllowances('pool', [source('packages/pool/src/a.ts', used)]).join('\n');
  assert.match(found, /pool may import client, and never does/);
  assert.match(found, /pool may import commander, and never does/);
  assert.doesNotMatch(found, /may import (?:base|page\/pool-files|protocol|pg),/);
});
