import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG, Signal } from 'svc-base/pure';
import { openFilesIn, temporaryDirectory } from 'svc-base/testing';
import type { ChainCore } from '../chain/chain-core.ts';
import { isDue, KeptStates } from './kept-states.ts';

const INTERVAL = 120;

function dueHeights(everyCuts: number): number[] {
  return Array.from({ length: 1_000 }, (_, height) => height).filter((height) =>
    isDue(height, everyCuts, INTERVAL),
  );
}

test('a state is kept every so many cuts, and a cut later where an epoch ends', () => {
  assert.deepEqual(dueHeights(250), [250, 500, 750]);
  assert.deepEqual(dueHeights(200), [200, 400, 601, 800]);
  assert.deepEqual(dueHeights(240), [241, 481, 721, 961]);
  assert.deepEqual(dueHeights(0), []);
});

test('a state whose manifest has rotted is removed, and none of its files stays open', async (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, '8'));
  writeFileSync(join(directory, '8', 'ranges'), 'ranges');
  writeFileSync(join(directory, '8', 'manifest'), 'SVCSTAT1 and then rot');
  const chain = { finalized: new Signal() } as unknown as ChainCore;
  const ports = { chain, directory, isSynced: () => true, log: SILENT_LOG };
  const states = await KeptStates.open(ports, { everyCuts: 8 });
  assert.deepEqual([states.offers(), readdirSync(directory)], [[], []]);
  assert.deepEqual(openFilesIn(directory), []);
  await states.close();
});
