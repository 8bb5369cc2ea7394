import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { bodyPath } from '../src/bodies/body-files.ts';
import { bodiesOf } from '../src/bodies/body-store.ts';
import { scrubBodies } from '../src/bodies/scrub-bodies.ts';
import { StoreDamagedError } from '../src/errors.ts';
import { databaseOf } from '../src/open/open-store.ts';
import { climbWithBlocks } from './testing/heavy-ladder.ts';
import { openLadder } from './testing/ladder-store.ts';

const CUTS = 3;
const BLOCK_BYTES = 10_000;
const SCRUB = { pieceBytes: 1 << 20, pause: async () => true };

await init();

test('what a crash left of bodies is gone when the store is open, so that no scrub takes it for corruption', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climbWithBlocks(store, CUTS, BLOCK_BYTES);
  await store.close();
  const database = databaseOf(directory);
  const bodies = bodiesOf(database);
  const { size } = statSync(bodyPath(bodies, 1));
  for (const file of [1, 2]) appendFileSync(bodyPath(bodies, file), new Uint8Array(500).fill(0x35));
  await assert.rejects(scrubBodies(database, SCRUB), StoreDamagedError);
  const again = await openLadder(directory);
  assert.deepEqual(readdirSync(bodies), ['000001.bodies']);
  assert.equal(await scrubBodies(database, SCRUB), size);
  assert.equal(statSync(join(bodies, '000001.bodies')).size, size);
  await climbWithBlocks(again, CUTS + 1, BLOCK_BYTES);
  await scrubBodies(database, SCRUB);
  await again.close();
});
