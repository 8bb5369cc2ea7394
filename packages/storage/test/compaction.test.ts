import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { compactionRounds } from './testing/crash-rounds.ts';
import { climbWithBlocks, EVERYTHING } from './testing/heavy-ladder.ts';
import { ladderRoots, openLadder, openPrunedLadder } from './testing/ladder-store.ts';

const CUTS = 40;
const BLOCK_BYTES = 40_000;
const ROUNDS = 8;

await init();

function bytesBelow(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce(
    (sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size,
    0,
  );
}

test('a pruned store is smaller than a full one, and continues where its last compaction ended', async (t) => {
  const directory = temporaryDirectory(t);
  const full = await openLadder(join(directory, 'full'), 'full');
  await climbWithBlocks(full, CUTS, BLOCK_BYTES);
  await full.keyValues.compact(EVERYTHING);
  const pruned = await openPrunedLadder(join(directory, 'pruned'));
  await climbWithBlocks(pruned, CUTS - 1, BLOCK_BYTES);
  await pruned.compacted();
  await climbWithBlocks(pruned, CUTS, BLOCK_BYTES);
  await pruned.compacted();
  assert.deepEqual(pruned.head, full.head);
  await full.close();
  await pruned.close();
  const sizes = {
    full: bytesBelow(join(directory, 'full')),
    pruned: bytesBelow(join(directory, 'pruned')),
  };
  t.diagnostic(JSON.stringify(sizes));
  assert.ok(sizes.full > CUTS * BLOCK_BYTES);
  assert.ok(sizes.pruned < sizes.full / 2, JSON.stringify(sizes));

  const again = await openPrunedLadder(join(directory, 'pruned'));
  await climbWithBlocks(again, CUTS + 1, BLOCK_BYTES);
  await again.compacted();
  const reader = again.reader();
  const headers = await Array.fromAsync([1, CUTS / 2, CUTS], (height) => reader.cut(height));
  assert.ok(headers.every((cut) => cut !== undefined));
  await reader.close();
  await again.close();
});

test(`${ROUNDS} kills in the midst of compactions lose nothing`, async (t) => {
  const directory = temporaryDirectory(t);
  const report = await compactionRounds(directory, ROUNDS, Math.random);
  t.diagnostic(JSON.stringify(report));
  assert.ok(report.killedWhileCompacting > 0, 'no kill met a compaction');
  const store = await openPrunedLadder(join(directory, 'store'));
  const height = store.head?.height ?? -1;
  assert.ok(height === report.height || height === report.height + 1);
  assert.equal(store.head?.stateRoot, (await ladderRoots(height))[height]);
  let records = 0;
  for await (const entries of store.keyValues.scan(EVERYTHING)) records += entries.length;
  assert.ok(records > height);
  await store.close();
});
