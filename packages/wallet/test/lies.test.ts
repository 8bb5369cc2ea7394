import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { runLies } from './lies/run-lies.ts';

test('no deposit is credited wrongly while the node lies, each lie is named, and with the truth all deposits come', async (t) => {
  const named: string[] = [];
  const directory = temporaryDirectory(t);
  const lies = await runLies({ deposits: 10, directory, onLie: (name) => named.push(name) });
  assert.equal(new Set(named).size, lies);
});
