import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { checkTrees } from '../src/open/check-trees.ts';
import { crashRounds } from './testing/crash-rounds.ts';
import { ladderRoots, openLadder, openLoggedLadder } from './testing/ladder-store.ts';

const ROUNDS = 50;
const GROUP_ROUNDS = 8;
const LOGGED_ROUNDS = 20;
const GROUP_CUTS = 8;

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

test(`${GROUP_ROUNDS} kills of a process that commits ${GROUP_CUTS} cuts at once leave whole groups`, async (t) => {
  const directory = temporaryDirectory(t);
  const report = await crashRounds(directory, GROUP_ROUNDS, Math.random, {
    groupOf: GROUP_CUTS,
  });
  t.diagnostic(JSON.stringify(report));
  assert.ok(report.height >= GROUP_CUTS, 'hardly anything was committed');
  const store = await openLadder(join(directory, 'store'));
  const height = store.head?.height ?? -1;
  await store.close();
  assert.ok(height === report.height || height === report.height + GROUP_CUTS);
  assert.equal(store.head?.stateRoot, (await ladderRoots(height))[height]);
});

for (const groupOf of [1, GROUP_CUTS])
  test(`${LOGGED_ROUNDS} kills of a process that commits ${groupOf} cuts at once and logs what changes its trees leave trees that need not be built`, async (t) => {
    const directory = temporaryDirectory(t);
    const report = await crashRounds(directory, LOGGED_ROUNDS, Math.random, {
      groupOf,
      isLogged: true,
    });
    t.diagnostic(JSON.stringify(report));
    assert.ok(
      report.restored > 0 && report.restored + report.killedWhileOpening >= LOGGED_ROUNDS - 1,
    );
    const store = await openLoggedLadder(join(directory, 'store'));
    const height = store.head?.height ?? -1;
    assert.equal(store.head?.stateRoot, (await ladderRoots(height))[height]);
    assert.equal(await checkTrees(store.trees, new AbortController().signal), undefined);
    await store.close();
  });
