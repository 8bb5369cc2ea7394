import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../packages/base/src/testing/index.ts';
import { removeAbandoned } from './bundle-programs.ts';

test('folders of runs that are over are removed, those of others that run are kept', (t) => {
  const folders = temporaryDirectory(t);
  const over = spawnSync(process.execPath, ['--version']).pid;
  for (const name of [process.ppid, over, process.pid, 'svcd'])
    mkdirSync(join(folders, String(name), 'svcd'), { recursive: true });
  removeAbandoned(folders);
  assert.deepEqual(readdirSync(folders), [String(process.ppid)]);
});
