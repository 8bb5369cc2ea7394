import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { crashRounds } from './testing/crash-rounds.ts';
import { ladderRoots, openLadder } from './testing/ladder-store.ts';

const ROUNDS = 50;

await init();

test(`${ROUNDS} kills at random moments leave a whole cut with the right root`, async (t) => {
  const directory = temporaryDirectory(t);
  const report = await crashRounds(directory, ROUNDS, Math.random);
  t.diagnostic(JSON.stringify(report));
  const store = await openLadder(join(directory, 'store'));
  const height = store.head?.height ?? -1;
  await store.close();
  assert.ok(report.height > ROUNDS / 2, 'hardly anything was committed');
  assert.ok(height === report.height || height === report.height + 1);
  assert.equal(store.head?.stateRoot, (await ladderRoots(height))[height]);
});
